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

from driftlearn.streams import STREAMS, StreamEntry
from driftlearn.streams._arguments import meant
from driftlearn.streams._real import RealStream, load

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
    name: Entry(f"driftlearn:{kind}Classifier", about)
    for name, kind, about in (
        ("auto", "Auto", "a tournament of learners: whoever does best lately has the say"),
        ("learn++", "LearnPP", "boosts within each data set and keeps every member"),
        ("learn++.mt", "LearnPPMT", "members step back where others know a class they do not"),
        ("learn++.nc", "LearnPPNC", "members consult each other about new classes, then vote"),
        ("learn++.ud", "LearnPPUD", "a member counts for a class by the rows of it it has seen"),
        ("learn++.udnc", "LearnPPUDNC", "new classes and rare classes at once"),
        ("learn++.nse", "LearnPPNSE", "a member a chunk, weighted by how it does lately"),
        ("dtel", "DTEL", "keeps the most diverse trees and adapts them to each chunk"),
        ("sea", "SEA", "equal votes; a better newcomer replaces the worst member"),
        ("awe", "AWE", "members weighted by how far they beat guessing on the newest chunk"),
        ("aue2", "AUE2", "incremental members that all learn every chunk"),
        ("tix", "TIX", "what older models say becomes features of the newest"),
        ("dic", "DIC", "for each row, those members speak that were right near it"),
        ("dynse", "DYNSE", "for each row, those speak that were right on its newest neighbours"),
        ("iboost", "IBoost", "boosting on a sliding window, updated row by row"),
        ("adaboost", "WindowedAdaBoost", "AdaBoost trained anew on the latest rows"),
        ("onlineboost", "OnlineBoost", "a chain of members, each fed what the ones before miss"),
        ("nsonlineboost", "NSOnlineBoost", "OnlineBoost that replaces members that do harm"),
        ("flc", "FLC", "OnlineBoost that jolts its members when errors rise"),
        ("flb", "FLB", "fast and light boosting: a few members for every block of rows"),
        ("online-bagging", "OnlineBagging", "members that learn each row a random number of times"),
        ("adwin-bagging", "ADWINBagging", "online bagging; a detector finds whom to replace"),
        ("leveraging-bagging", "LeveragingBagging", "the same with more chance in it"),
        ("oob", "OOB", "online bagging that learns rare classes more"),
        ("uob", "UOB", "online bagging that learns frequent classes less"),
        ("oaue", "OAUE", "members weighted at every row by their latest errors"),
        ("arf", "AdaptiveRandomForest", "trees of random leaves, each with a successor"),
        ("srp", "StreamingRandomPatches", "members of random features, each with a successor"),
        ("ddd", "DDD", "bagging of low and high diversity, before a drift and after it"),
        ("ace", "ACE", "an online model now, fixed ones for what comes back"),
        ("ocb", "OCB", "members whose confidences follow every row"),
        ("dwm", "DWM", "experts lose weight by their mistakes and are replaced"),
        ("winnow", "Winnow", "weights that mistakes multiply, where few attributes matter"),
        ("weighted-majority", "WeightedMajority", "a fixed pool; a mistake costs an expert weight"),
        ("flora2", "FLORA2", "conjunctions over a window that adjusts its size; nominal features"),
        ("flora3", "FLORA3", "the same; stable descriptions are stored and brought back"),
        ("stagger", "STAGGER", "boolean descriptions weighted by their odds; nominal features"),
        ("rcd", "RCD", "a model for each concept, found again by the rows it learned"),
        ("artmap", "FuzzyARTMAP", "boxes that grow around the rows of a class"),
        ("hoeffding", "HoeffdingTree", "a tree that grows while rows pass by"),
        ("hat", "HoeffdingAdaptiveTree", "the same; subtrees whose errors rise are replaced"),
        ("cart", "CART", "a classification tree, as base of an ensemble"),
        ("stump", "Stump", "one split of one feature, as base of an ensemble"),
        ("boosting", "Boosting", "AdaBoost.M1, AdaBoost.M2 or arc-x4, as base of an ensemble"),
        ("naive-bayes", "GaussianNB", "Gaussian naive Bayes, a row at a time"),
        ("logistic", "Logistic", "logistic regression, a row at a time, at several rates at once"),
        ("mlp", "MLPGoal", "a small network that stops at an error goal, as base of an ensemble"),
        ("smote", "SMOTE", "one model a data set, its rare classes filled up"),
        ("no-change", "NoChange", "a baseline: the last label again"),
        ("majority", "Majority", "a baseline: the most frequent label so far"),
        ("refit", "Refit", "a baseline: any classifier, trained anew on the last chunks"),
    )
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
        from driftlearn.sources import TableFile

        make = partial(TableFile, name)
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
    from driftlearn.sources.files import names_files

    return names_files(name)


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
