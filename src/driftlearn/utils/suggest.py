"""What is said of a name that a package does not have."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pkgutil import iter_modules


def misspelt(package: str, name: str, names: Iterable[str]) -> Exception:
    """Return the error of a package's ``__getattr__``, with the nearest name.

    Python drops an AttributeError at ``from package import name`` and, before 3.12, says nothing of
    names that are near. So there it is an ImportError, unless the name is a module that Python
    would look for next.
    """
    modules = [each.name for each in iter_modules(sys.modules[package].__path__)]
    public = [each for each in modules if not each.startswith("_")]
    near = get_close_matches(name, [*names, *public], n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    asked_by_import = sys._getframe(2).f_code.co_name == "_handle_fromlist"
    if asked_by_import and find_spec(f"{package}.{name}") is None:
        return ImportError(f"{package} has no {name!r} to import{hint}", name=package)
    return AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
