"""The names: what each stands for, with which parameters, and what may have been meant.

scikit-learn is imported when a learner is made or its parameters are asked for, not before.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import driftlearn
from driftlearn._table import Table
from driftlearn.streams import STREAMS, Stream
from driftlearn.streams._arguments import meant
from driftlearn.streams._real import RealStream, load

REQUIRED = inspect.Parameter.empty
_IMPORT_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


@dataclass(frozen=True)
class LearnerEntry:
    """A learner that has a name.

    Attributes
    ----------
    class_name : str
        Its class, a public name of `driftlearn`.
    about : str
        What it is, in a line.
    """

    class_name: str
    about: str

    @property
    def make(self) -> type:
        """The class, imported now."""
        return getattr(driftlearn, self.class_name)

    @property
    def params(self) -> tuple[tuple[str, Any], ...]:
        """The parameters and their defaults."""
        return tuple(defaults(self.make).items())


LEARNERS: dict[str, LearnerEntry] = {
    name: LearnerEntry(f"{kind}Classifier", about)
    for name, kind, about in (
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
        ("iboost", "IBoost", "boosting on a sliding window, updated row by row"),
        ("adaboost", "WindowedAdaBoost", "AdaBoost trained anew on the latest rows"),
        ("onlineboost", "OnlineBoost", "a chain of members, each fed what the ones before miss"),
        ("nsonlineboost", "NSOnlineBoost", "OnlineBoost that replaces members that do harm"),
        ("flc", "FLC", "OnlineBoost that jolts its members when errors rise"),
        ("flb", "FLB", "fast and light boosting: a few members for every block of rows"),
        ("adwin-bagging", "ADWINBagging", "online bagging; a detector finds whom to replace"),
        ("ocb", "OCB", "fixed members whose confidences follow the stream"),
        ("dwm", "DWM", "experts lose weight by their mistakes and are replaced"),
        ("artmap", "FuzzyARTMAP", "boxes that grow around the rows of a class"),
        ("hoeffding", "HoeffdingTree", "a tree that grows while rows pass by"),
        ("cart", "CART", "a classification tree, as base of an ensemble"),
        ("stump", "Stump", "one split of one feature, as base of an ensemble"),
        ("naive-bayes", "GaussianNB", "Gaussian naive Bayes, a row at a time"),
        ("mlp", "MLPGoal", "a small network that stops at an error goal, as base of an ensemble"),
        ("smote", "SMOTE", "one model a data set, its rare classes filled up"),
    )
}


def find(kind: str, name: str, at: str = "") -> tuple[Callable[..., Any], dict[str, Any]]:
    """Give what makes a learner or stream of this name, and its parameters with their defaults."""
    entries: Mapping[str, Any] = LEARNERS if kind == "learner" else STREAMS
    if name in entries:
        make = entries[name].make
        return make, defaults(make)
    if not _IMPORT_PATH.fullmatch(name):
        raise ValueError(f"unknown {kind} {name!r}{at}{near(name, entries)}")
    module, _, class_name = name.rpartition(".")
    try:
        found = import_module(module)
    except ImportError as error:
        hint = meant(name, entries)
        raise ValueError(f"unknown {kind} {name!r}{at}{hint}: {error}") from error
    if not hasattr(found, class_name):
        hint = meant(class_name, dir(found))
        raise ValueError(f"unknown {kind} {name!r}{at}: {module} has no {class_name!r}{hint}")
    make = getattr(found, class_name)
    duties = ("fit", "predict", "get_params")
    if not isinstance(make, type) or not (
        all(hasattr(make, duty) for duty in duties)
        if kind == "learner"
        else issubclass(make, Stream)
    ):
        wanted = "classifier with fit, predict and get_params" if kind == "learner" else "Stream"
        raise ValueError(f"{name}{at} is no class of a {wanted}")
    return make, defaults(make)


def learner_table(parameters: bool = True) -> Table:
    """List the learners; without their parameters nothing needs to be imported."""
    return _table(LEARNERS, parameters)


def stream_table(parameters: bool = True) -> Table:
    """List the streams."""
    return _table(STREAMS, parameters)


def _table(entries: Mapping[str, Any], parameters: bool) -> Table:
    columns = {"name": list(entries), "about": [entry.about for entry in entries.values()]}
    if parameters:
        columns["parameters"] = [
            ", ".join(
                key if default is REQUIRED else f"{key}={default!r}"
                for key, default in defaults(entry.make).items()
            )
            for entry in entries.values()
        ]
    return Table(columns)


def near(value: Any, names: Iterable[str]) -> str:
    """Ask whether a name near to this one was meant; if none is near, tell all."""
    names = list(names)
    same = [name for name in names if name.lower() == str(value).lower()]
    every = f"; there {'is' if len(names) == 1 else 'are'} {', '.join(names) or 'none'}"
    return meant(same[0], same) if same else meant(value, names) or every


def defaults(make: Callable[..., Any]) -> dict[str, Any]:
    """Give the parameters of a class or function with their defaults."""
    found = inspect.signature(make).parameters
    if getattr(make, "func", None) is load:
        found = inspect.signature(RealStream).parameters
    return {key: param.default for key, param in found.items() if key != "name"}
