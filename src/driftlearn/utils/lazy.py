"""Lazy attributes of packages (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from sys import modules
from typing import Any

from driftlearn._learners import exports
from driftlearn.utils.suggest import misspelt


def attach(
    package: str, names: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Modules are imported when one of their names is used for the first time. The registered
    learners of the package are added to `names`, and so are its public subpackages and modules.

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
        elif not name.startswith("_") and name in (
            module.name for module in iter_modules(modules[package].__path__)
        ):
            value = import_module(f"{package}.{name}")
        else:
            raise misspelt(package, name, public)
        return value

    def __dir__() -> list[str]:
        return [*public]

    return __getattr__, __dir__, public
