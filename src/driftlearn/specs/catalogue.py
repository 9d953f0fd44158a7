"""The names: what each stands for, and what may have been meant.

Nothing that a name stands for is imported before somebody asks for it. Packages of other people
add names by entry points of the groups ``driftlearn.learners`` and ``driftlearn.streams``.
"""

from __future__ import annotations

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
from driftlearn.streams._real import RealStream, load
from driftlearn.streams._stream_names import STREAMS, StreamEntry
from driftlearn.utils.arguments import meant
from driftlearn.utils.hooks import hook

REQUIRED = inspect.Parameter.empty
WANTED = {
    "learner": ("classifier with fit, predict and get_params", ("fit", "predict", "get_params")),
    "stream": ("Stream", ("chunks", "test_set", "params")),
}
PUBLIC = ("driftlearn", "driftlearn.streams")
_IMPORT_PATH = re.compile(r"[A-Za-z_]\w*([.:][A-Za-z_]\w*)+")


@dataclass(frozen=True)
class Entry:
    """A learner or stream that has a name.

    Attributes
    ----------
    path : str
        Where its class is, as in ``"driftlearn:DTELClassifier"``.
    line : str
        What it is, in a line; if it is empty, the first line of the class's docstring is taken.
    package : str
        Whose it is.
    """

    path: str
    line: str = ""
    package: str = "driftlearn"

    @property
    def make(self) -> Any:
        """The class, imported now."""
        try:
            return class_at(self.path)
        except Exception as error:  # whatever a module of others raises while it is imported
            said = f"{self.path} of {self.package} cannot be imported"
            raise ImportError(f"{said}: {type(error).__name__}: {error}") from error

    @property
    def about(self) -> str:
        """What it is, in a line."""
        return self.line or (inspect.getdoc(self.make) or self.path).splitlines()[0]


LEARNERS: dict[str, Entry] = {
    short: Entry(f"driftlearn:{learner.name}", learner.summary)
    for short, learner in _learners.LEARNERS.items()
}


def own(kind: str) -> Mapping[str, Entry | StreamEntry]:
    """Return the learners or streams of this package, by name."""
    return LEARNERS if kind == "learner" else STREAMS


def plugins(kind: str) -> tuple[dict[str, Entry], list[str]]:
    """Return what other packages bring, and a line for each name that was taken before.

    They come in the order of their names: in which they lie on the disk is chance.
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
            taken.append(
                f"the {kind} {point.name!r} of {package} is left out: the name belongs to {owner}"
            )
        else:
            found[point.name] = Entry(point.value, package=package)
    return found, taken


def check_name(kind: str, name: str, at: str = "") -> None:
    """Raise, with what may have been meant, if no learner or stream can be called so.

    Nothing that a name stands for is imported; whether the path of a class leads anywhere is
    found when it is made.
    """
    if name in own(kind) or _IMPORT_PATH.fullmatch(name) or _names_files(kind, name):
        return
    known = [*own(kind), *plugins(kind)[0]]
    if name not in known:
        raise ValueError(f"unknown {kind} {name!r}{at}{near(name, known)}")


def find(kind: str, name: str, at: str = "") -> tuple[Callable[..., Any], dict[str, Any]]:
    """Give what makes a learner or stream, and its parameters with their defaults.

    Parameters
    ----------
    kind : {"learner", "stream"}
        Which of the two.
    name : str
        A name, or the path of a class: ``mymodule:MyLearner`` or ``mymodule.MyLearner``; of a
        stream also files of a user's own: ``data.csv``, ``days/``, ``days/*.parquet``.
    at : str
        Where it was read, for the message.
    """
    if name in own(kind):
        make = own(kind)[name].make
        return make, defaults(make)
    check_name(kind, name, at)
    others, _ = plugins(kind)
    known = [*own(kind), *others]
    if name in others:
        make = others[name].make
    elif _names_files(kind, name):
        make = partial(hook("table_file"), name)
        return make, defaults(make)
    else:
        try:
            make = class_at(name)
        except ImportError as error:
            hint = meant(name, known)
            raise ValueError(f"unknown {kind} {name!r}{at}{hint}: {error}") from error
        except AttributeError as error:
            module, attribute = _split(name)
            hint = meant(attribute, dir(resolve_name(module)))
            said = f"{module} has no {attribute!r}{hint}"
            raise ValueError(f"unknown {kind} {name!r}{at}: {said}") from error
    check_kind(kind, make, f"{name}{at}")
    return make, defaults(make)


def _names_files(kind: str, name: str) -> bool:
    if kind == "learner" or (name.isidentifier() and not os.path.exists(name)):
        return False  # told without loading what reads files
    return bool(hook("names_files")(name))


def check_kind(kind: str, make: Any, name: str) -> None:
    """Raise ValueError unless this is the class of a learner, or of a stream; say what it is."""
    fits = [each for each in WANTED if _can(make, WANTED[each][1])]
    if kind not in fits:
        other = f": it is a {fits[0]}, and belongs to the {fits[0]}s" if fits else ""
        point = f" (entry points of the group driftlearn.{fits[0]}s)" if fits else ""
        raise ValueError(f"{name} is no class of a {WANTED[kind][0]}{other}{point}")


def _can(make: Any, duties: Iterable[str]) -> bool:
    return isinstance(make, type) and all(hasattr(make, duty) for duty in duties)


def class_at(path: str) -> Any:
    """Find a class by its path; one of ours that has moved since, by its public name."""
    module, name = _split(path)
    try:
        return resolve_name(f"{module}:{name}")
    except (ImportError, AttributeError):
        for package in PUBLIC if module.startswith("driftlearn.") else ():
            with suppress(AttributeError):
                return resolve_name(f"{package}:{name}")
        raise


def _split(path: str) -> tuple[str, str]:
    """Part the module from the class, at a colon or at the last dot."""
    module, _, name = path.partition(":") if ":" in path else path.rpartition(".")
    return module, name


def public_path(kind: type) -> str:
    """Give the shortest path of a class: it outlives the file in which the class stands.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> public_path(SEA)
    'driftlearn.streams:SEA'
    """
    parents = kind.__module__.split(".")[:-1]
    path = f"{kind.__module__}:{kind.__qualname__}"
    if "<" in path:
        raise ValueError(f"{path} cannot be imported; define it at the top of a module")
    for n in range(len(parents)):
        public = f"{'.'.join(parents[: n + 1])}:{kind.__qualname__}"
        with suppress(AttributeError):
            if resolve_name(public) is kind:
                return public
    return path


def near(value: Any, names: Iterable[str]) -> str:
    """Ask whether a name near to this one was meant; if none is near, tell all."""
    names = list(names)
    same = [name for name in names if name.lower() == str(value).lower()]
    every = f"; there {'is' if len(names) == 1 else 'are'} {', '.join(names) or 'none'}"
    return meant(same[0], same) if same else meant(value, names) or every


def defaults(make: Callable[..., Any]) -> dict[str, Any]:
    """Give the parameters of a class or function with their defaults."""
    found = dict(inspect.signature(make).parameters)
    if getattr(make, "func", None) is load:  # it hands on what it does not declare
        found = dict(inspect.signature(RealStream).parameters)
        del found["name"]
    return {key: param.default for key, param in found.items()}
