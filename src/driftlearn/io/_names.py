"""Allow-list of classes that a file may name, and their lookup by name."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from sys import modules
from typing import Any

import numpy as np

from driftlearn.io import _sklearn
from driftlearn.io._upgrades import current_name
from driftlearn.io.schema import is_stored

PACKAGES = ("driftlearn",)
CHECKED = ("driftlearn", "sklearn")  # files must not load the UNWANTED modules of these packages
CLASSES = frozenset(
    [f"builtins:{kind.__name__}" for kind in (bool, int, float, complex, str, bytes, object)]
    + [f"builtins:{kind.__name__}" for kind in (list, tuple, dict, set, frozenset, slice, range)]
    + [f"collections:{name}" for name in ("Counter", "OrderedDict", "defaultdict", "deque")]
)
UNWANTED = frozenset(["tests", "conftest", "externals", "callback"])
RESTORERS = re.compile(r"sklearn(\.\w+)+:(newObj|__pyx_unpickle_\w+)")


class NotAllowed(TypeError):
    """Error for an object or class that cannot be saved or must not be loaded.

    Parameters
    ----------
    problem : str
        What is wrong and what to do about it.
    """

    __module__ = "driftlearn.io"

    def __init__(self, problem: str):
        super().__init__(problem)
        self.where: list[str] = []

    def __str__(self) -> str:
        place = f" (found at {'.'.join(reversed(self.where))})" if self.where else ""
        return f"{self.args[0]}{place}"


class Names:
    """Lookup of the allowed classes by name, and of names by class.

    A name is ``package.module:Class``. The class found under it must have this module and name:
    what a module imports from elsewhere cannot be reached through it.

    Parameters
    ----------
    allow : str or iterable of str
        Packages or modules whose classes may be named besides those of driftlearn and those of
        scikit-learn that are listed.

    Examples
    --------
    >>> Names().find("driftlearn.drift.adwin:ADWIN").__name__
    'ADWIN'
    >>> Names().find("driftlearn.base.threads:Callable")
    Traceback (most recent call last):
    driftlearn.io.NotAllowed: driftlearn.base.threads:Callable is not a class of that module
    """

    def __init__(self, allow: str | Iterable[str] = ()):
        self.packages = (*PACKAGES, *((allow,) if isinstance(allow, str) else allow))
        self._found: dict[str, tuple[type, str, str]] = {}
        self._named: dict[type, str] = {}

    def name(self, kind: type) -> str:
        """Return the name of a class; raise `NotAllowed` if it does not lead back to the class."""
        name = self._named.get(kind)
        if name is None:
            name = f"{kind.__module__}:{kind.__qualname__}"
        if self.find(name) is not kind:
            raise NotAllowed(
                f"{name} was redefined or reloaded, so the object's class is no longer the class "
                "of that name"
            )
        self._named[kind] = name
        return name

    def find(self, name: str) -> type:
        """Return the class with this name, which may come from an older version."""
        found = self._found.get(name)
        if found is not None and getattr(modules.get(found[1]), found[2], None) is found[0]:
            return found[0]
        module, _, inside = current_name(name).partition(":")
        kind = self._resolve(f"{module}:{inside}")
        self._found[name] = kind, module, inside
        return kind

    def made_later(self, kind: Any) -> None:
        """Raise `NotAllowed` unless a `functools.partial` of this callable may be stored.

        Calling it later creates an object. Allowed are `defaultdict`, and classes of packages that
        the caller trusts.
        """
        trusted = self.packages[len(PACKAGES) :]
        if kind is not defaultdict and (
            not isinstance(kind, type)
            or not any(f"{kind.__module__}.".startswith(f"{package}.") for package in trusted)
        ):
            raise NotAllowed(
                f"a functools.partial of {_name(kind)} cannot be saved or loaded. Only partials of "
                "classes are supported, and the package of the class must be named with allow."
            )

    def restorer(self, name: str) -> Any:
        """Return the function that creates an empty object of a compiled scikit-learn class."""
        if name not in _sklearn.RESTORERS and not RESTORERS.fullmatch(name):
            raise NotAllowed(
                f"an object that is rebuilt by the function {name} cannot be saved, because "
                "loading a file does not call functions"
            )
        module, _, inside = name.partition(":")
        function = getattr(self._module(module, name), inside, None)
        if isinstance(function, type) or _name(function) != name:
            raise NotAllowed(f"{name} is not a function defined in its module")
        return function

    def _resolve(self, name: str) -> type:
        module, _, inside = name.partition(":")
        if module == "numpy":
            kind = getattr(np, inside, None)
            if isinstance(kind, type) and issubclass(kind, np.generic) and _name(kind) == name:
                return kind
        if name in CLASSES:
            return getattr(import_module(module), inside)
        if "<locals>" in inside:
            raise NotAllowed(f"{name} is defined inside a function and cannot be imported")
        thing: Any = self._module(module, name)
        for part in inside.split("."):
            owner, thing = thing, getattr(thing, part, None)
            if thing is None:
                raise ImportError(f"{name} does not exist in the installed {owner.__name__}")
            if not isinstance(thing, type):
                raise NotAllowed(f"{name} is not a class of that module")
        if _name(thing) != name:
            raise NotAllowed(f"{name} is not a class of that module")
        return thing

    def _module(self, module: str, name: str) -> Any:
        if name in _sklearn.LISTED or name in _sklearn.RESTORERS:
            return import_module(module)
        for package in self.packages:
            if module == package or module.startswith(f"{package}."):
                parts = module[len(package) + 1 :].split(".")
                unwanted = package in CHECKED and not UNWANTED.isdisjoint(parts)
                if not unwanted and not any(part.startswith("__") for part in parts):
                    return import_module(module)
        package = module.partition(".")[0]
        what = "a class that driftlearn saves or loads"
        if package == "sklearn":
            what = "a scikit-learn class whose state driftlearn can check"
        raise NotAllowed(
            f"{name} is not {what}. If you trust its origin, name its package: allow=({package!r},)"
        )


_OWN = Names()


def names_of(allow: str | Iterable[str]) -> Names:
    """Return the lookup of allowed classes; calls without `allow` share one, with its cache."""
    return Names(allow) if allow else _OWN


def is_restore(function: Any) -> bool:
    """Return whether this is the function that rebuilds compiled objects."""
    return _name(function) == "driftlearn.base._engine:restore"


@cache
def is_restored(kind: type) -> bool:
    """Return whether objects of a class are rebuilt by that function only."""
    return hasattr(kind, "set_state") and is_called(kind)


def is_called(kind: type) -> bool:
    """Return whether a class defines `__reduce__`, so that it may be called with arguments."""
    plain: Any = object
    return (kind.__reduce__, kind.__reduce_ex__) != (plain.__reduce__, plain.__reduce_ex__)


class _Plain:
    """Class without slots, whose objects have attributes only."""


@cache
def is_plain(kind: type) -> bool:
    """Return whether objects of a driftlearn class consist only of a dict of attributes.

    Such an object is created empty and receives the result of `__getstate__`; `__reduce_ex__`,
    which is slower, would return the same.
    """
    has_arguments = any(hasattr(kind, name) for name in ("__getnewargs__", "__getnewargs_ex__"))
    is_ours = kind.__module__.startswith("driftlearn.") and is_stored(kind) and not has_arguments
    return is_ours and not is_called(kind) and kind.__basicsize__ == _Plain.__basicsize__


def _name(thing: Any) -> str:
    return f"{getattr(thing, '__module__', None)}:{getattr(thing, '__qualname__', None)}"
