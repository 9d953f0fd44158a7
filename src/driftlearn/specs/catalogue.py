"""Catalog of learners and streams by name, with suggestions for misspelled names.

Classes are imported on first use. Other packages can add names through entry points in the groups
``driftlearn.learners`` and ``driftlearn.streams``.
"""

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pkgutil import resolve_name
from typing import Any

from driftlearn import _learners
from driftlearn.streams import STREAMS, RealStream, StreamEntry, load
from driftlearn.utils.arguments import meant
from driftlearn.utils.hooks import hook
from driftlearn.utils.other_names import SHORT_NAMES

REQUIRED = inspect.Parameter.empty
WANTED = {
    "learner": ("classifier with fit, predict and get_params", ("fit", "predict", "get_params")),
    "stream": ("Stream", ("chunks", "test_set", "params")),
}
PUBLIC = ("driftlearn", "driftlearn.streams")
_IMPORT_PATH = re.compile(r"[A-Za-z_]\w*([.:][A-Za-z_]\w*)+")


@dataclass(frozen=True)
class Entry:
    """Entry of a learner or stream.

    Attributes
    ----------
    path : str
        Import path of the class, such as ``"driftlearn:DTELClassifier"``.
    line : str
        One-line description; if empty, the first line of the class docstring.
    package : str
        Package that provides the class.
    """

    path: str
    line: str = ""
    package: str = "driftlearn"

    @property
    def make(self) -> Any:
        """The class, imported on access."""
        try:
            return class_at(self.path)
        except Exception as error:  # importing a module of another package may raise anything
            raise ImportError(
                f"{self.path} of {self.package} cannot be imported: {type(error).__name__}: {error}"
            ) from error

    @property
    def about(self) -> str:
        """One-line description."""
        return self.line or (inspect.getdoc(self.make) or self.path).splitlines()[0]


LEARNERS: dict[str, Entry] = {
    short: Entry(f"driftlearn:{learner.name}", learner.summary)
    for short, learner in _learners.LEARNERS.items()
}


def own(kind: str) -> Mapping[str, Entry | StreamEntry]:
    """Return the learners or streams of driftlearn by name."""
    return LEARNERS if kind == "learner" else STREAMS


def plugins(kind: str) -> tuple[dict[str, Entry], list[str]]:
    """Return the plug-ins by name, and one message per name that is already taken.

    Plug-ins are sorted by name, because their order on disk is arbitrary.
    """
    found: dict[str, Entry] = {}
    taken = []
    points = [
        (f"{point.dist.name} {point.dist.version}" if point.dist else "another package", point)
        for point in metadata.entry_points(group=f"driftlearn.{kind}s")
    ]
    for package, point in sorted(points, key=lambda pair: (pair[0], pair[1].name)):
        if point.name in own(kind) or point.name in found:
            owner = found[point.name].package if point.name in found else "driftlearn"
            text = f"the {kind} {point.name!r} of {package} is ignored: {owner} has the same name"
            taken.append(text)
        else:
            found[point.name] = Entry(point.value, package=package)
    return found, taken


def check_name(kind: str, name: str, at: str = "") -> None:
    """Raise ValueError with suggestions unless a name can denote a learner or stream.

    The check imports no classes: an import path is checked when the object is created.
    """
    if name in own(kind) or _IMPORT_PATH.fullmatch(name) or _names_files(kind, name):
        return
    known = [*own(kind), *plugins(kind)[0]]
    if name not in known:
        short = {each.name: short for short, each in _learners.LEARNERS.items()} | SHORT_NAMES
        same = [short[word] for word in (name, name.lower()) if kind == "learner" and word in short]
        same += [each for each in known if each.lower() == name.lower()]
        hint = f" (did you mean {same[0]!r}?)" if same else meant(name, known)
        more = "" if hint else f": 'driftlearn list {kind}s' shows all"
        raise ValueError(f"unknown {kind} {name!r}{at}{hint}{more}")


def find(kind: str, name: str, at: str = "") -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return the class or function with a name, and its parameters with defaults.

    Parameters
    ----------
    kind : {"learner", "stream"}
        Kind of the object.
    name : str
        Name, or import path of a class: ``mymodule:MyLearner`` or ``mymodule.MyLearner``; for a
        stream also files: ``data.csv``, ``days/``, ``days/*.parquet``.
    at : str
        Location of the name, for the error message.
    """
    if name in own(kind):
        make = own(kind)[name].make
        return make, defaults(make)
    check_name(kind, name, at)
    others, _ = plugins(kind)
    if name in others:
        make = others[name].make
    elif _names_files(kind, name):
        make = partial(hook("table_file"), name)
        return make, defaults(make)
    else:
        try:
            make = class_at(name)
        except ImportError as error:
            near_names = meant(name, [*own(kind), *others])
            raise ValueError(f"unknown {kind} {name!r}{at}{near_names}: {error}") from error
        except AttributeError as error:
            module, attribute = _split(name)
            why = f"{module} has no {attribute!r}{meant(attribute, dir(resolve_name(module)))}"
            raise ValueError(f"unknown {kind} {name!r}{at}: {why}") from error
    check_kind(kind, make, f"{name}{at}")
    return make, defaults(make)


def _names_files(kind: str, name: str) -> bool:
    if kind == "learner" or (name.isidentifier() and not os.path.exists(name)):
        return False  # avoids importing the readers of files
    return bool(hook("names_files")(name))


def check_kind(kind: str, make: Any, name: str) -> None:
    """Raise ValueError unless `make` is a class of this kind."""
    fits = [each for each, (_, duties) in WANTED.items()
            if isinstance(make, type) and all(hasattr(make, duty) for duty in duties)]  # fmt: skip
    if kind not in fits:
        hints = [f". It is a {each}; its entry point belongs to the group driftlearn.{each}s"
                 for each in fits]  # fmt: skip
        raise ValueError(f"{name} is not a class of a {WANTED[kind][0]}{''.join(hints[:1])}")


def class_at(path: str) -> Any:
    """Return the class with an import path; a moved class of driftlearn is found by public name."""
    module, name = _split(path)
    try:
        return resolve_name(f"{module}:{name}")
    except (ImportError, AttributeError):
        for package in PUBLIC if module.startswith("driftlearn.") else ():
            with suppress(AttributeError):
                return resolve_name(f"{package}:{name}")
        raise


def _split(path: str) -> tuple[str, str]:
    """Split a path into module and class at the colon or at the last dot."""
    module, _, name = path.partition(":") if ":" in path else path.rpartition(".")
    return module, name


def public_path(kind: type) -> str:
    """Return the shortest public path of a class, which remains valid if its file is moved.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> public_path(SEA)
    'driftlearn.streams:SEA'
    """
    parents = kind.__module__.split(".")[:-1]
    path = f"{kind.__module__}:{kind.__qualname__}"
    if "<" in path:
        raise ValueError(f"{path} cannot be imported: define it at the top level of a module")
    for n in range(len(parents)):
        public = f"{'.'.join(parents[: n + 1])}:{kind.__qualname__}"
        with suppress(AttributeError):
            if resolve_name(public) is kind:
                return public
    return path


def near(value: Any, names: Iterable[str]) -> str:
    """Return a suggestion of similar names, or a list of all names if none is similar."""
    names = list(names)
    same = [name for name in names if name.lower() == str(value).lower()]
    every = f"; known: {', '.join(names) or 'none'}"
    return meant(same[0], same) if same else meant(value, names) or every


def defaults(make: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters of a class or function with their defaults."""
    found = dict(inspect.signature(make).parameters)
    if getattr(make, "func", None) is load:  # `load` passes further parameters on to RealStream
        found = dict(inspect.signature(RealStream).parameters)
        del found["name"]
    return {key: param.default for key, param in found.items()}
