"""Lazy attributes of packages (PEP 562), and errors that suggest the right name."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from driftlearn._learners import LEARNERS, exports


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
        Public names of each module below the package, separated by blanks.
    """
    where = {
        name: f"{package}.{m}" for m, public in (names or {}).items() for name in public.split()
    }
    where |= {name: f"driftlearn.{module}" for name, module in exports(package).items()}
    public = sorted(where)

    def __getattr__(name: str) -> Any:
        if name in where:
            value = getattr(import_module(where[name]), name)
        elif not name.startswith("_") and find_spec(f"{package}.{name}"):
            value = import_module(f"{package}.{name}")
        else:
            raise misspelt(package, name, public)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__, lambda: [*public], public


def misspelt(package: str, name: str, names: Iterable[str]) -> Exception:
    """Return the error of a package's ``__getattr__``, with the most similar public name.

    Python replaces an AttributeError raised during ``from package import name`` by a message
    without a suggestion (before 3.12). There the error is an ImportError, unless the name is a
    module, which Python looks for next.
    """
    names = list(names)
    modules = (module.name for module in iter_modules(sys.modules[package].__path__))
    public = [*names, *(module for module in modules if not module.startswith("_"))]
    short_name = re.sub(r"classifier$|[^a-z0-9]", "", name.lower())  # e.g. "arf" or "NSEClassifier"
    near = [
        learner.name
        for short, learner in LEARNERS.items()
        if short_name in (re.sub("[^a-z0-9]", "", short), short.rpartition(".")[2])
        and learner.name in names
    ]
    near += [f"driftlearn.{each.name}" for each in LEARNERS.values() if each.name == name]
    near += get_close_matches(name, public, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    imported_by_name = sys._getframe(2).f_code.co_name == "_handle_fromlist"
    if imported_by_name and find_spec(f"{package}.{name}") is None:
        return ImportError(f"cannot import name {name!r} from {package!r}{hint}", name=package)
    return AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
