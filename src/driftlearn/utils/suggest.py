"""Errors that suggest the right name for a misspelt one."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pkgutil import iter_modules

from driftlearn._learners import LEARNERS


def misspelt(package: str, name: str, names: Iterable[str]) -> Exception:
    """Return the error of a package's ``__getattr__``, with the most similar public name.

    Python replaces an AttributeError raised during ``from package import name`` by a message
    without a suggestion (before 3.12). There the error is an ImportError, unless the name is a
    module, which Python looks for next.
    """
    names = list(names)
    modules = (module.name for module in iter_modules(sys.modules[package].__path__))
    public = [*names, *(module for module in modules if not module.startswith("_"))]
    near = [full for full in _by_short_name(name) if full in names]
    near += [f"driftlearn.{each.name}" for each in LEARNERS.values() if each.name == name]
    near += get_close_matches(name, public, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    imported_by_name = sys._getframe(2).f_code.co_name == "_handle_fromlist"
    if imported_by_name and find_spec(f"{package}.{name}") is None:
        return ImportError(f"cannot import name {name!r} from {package!r}{hint}", name=package)
    return AttributeError(f"module {package!r} has no attribute {name!r}{hint}")


def _by_short_name(name: str) -> list[str]:
    """Return the learners with this name on the command line, as in "arf" or "NSEClassifier"."""
    plain = re.sub(r"classifier$|[^a-z0-9]", "", name.lower())
    return [
        learner.name
        for short, learner in LEARNERS.items()
        if plain in (re.sub("[^a-z0-9]", "", short), short.rpartition(".")[2])
    ]
