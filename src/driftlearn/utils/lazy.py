"""Lazy attributes of packages (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from sys import modules
from typing import Any

from driftlearn._learners import exports
from driftlearn.utils.suggest import misspelt


def attach(
    package: str, names: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    A module is imported when one of its names is used for the first time. The public names are
    `names` and the registered learners of the package; its public subpackages and modules are
    attributes, too. Type checkers read ``__init__.pyi``, which ``make stubs`` writes.

    Parameters
    ----------
    package : str
        ``__name__`` of the package.
    names : mapping of str to str, optional
        Public names, each with its module below the package.
    """
    where = {name: f"{package}.{module}" for name, module in (names or {}).items()}
    where |= {name: f"driftlearn.{module}" for name, module in exports(package).items()}
    public = sorted(where)

    def __getattr__(name: str) -> Any:
        if name in where:
            value = getattr(import_module(where[name]), name)
        elif not name.startswith("_") and find_spec(f"{package}.{name}"):
            value = import_module(f"{package}.{name}")
        else:
            raise misspelt(package, name, public)
        setattr(modules[package], name, value)
        return value

    return __getattr__, lambda: [*public], public
