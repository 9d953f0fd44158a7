"""What each learner is for, and how it did on the panel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

#: In a few words; the first line of a class says how it works.
USES = {
    "auto": "no time to choose",
    "learn++": "data sets that come one by one, no drift",
    "learn++.mt": "new classes, which old members must not out-vote",
    "learn++.nc": "new classes, which members ask each other about",
    "learn++.ud": "data sets in which the shares of classes differ",
    "learn++.udnc": "new classes that are rare as well",
    "learn++.nse": "a table at a time, old situations return",
    "dtel": "a table at a time, drift of any kind",
    "sea": "a table at a time, little memory",
    "awe": "a table at a time, a class is rare",
    "aue2": "a table at a time, gradual drift",
    "tix": "a table at a time, old models as features",
    "dic": "a table at a time, members are good in different regions",
    "dynse": "the same, members of long ago return",
    "iboost": "boosting over a window of rows",
    "adaboost": "short streams, where time does not matter",
    "onlineboost": "accuracy under drift; labels in runs",
    "nsonlineboost": "boosting, one row at a time; members that do harm go",
    "flc": "accuracy under drift, one row at a time",
    "flb": "blocks of rows; starts anew after a drift",
    "online-bagging": "a world that stays as it is",
    "adwin-bagging": "abrupt drift, in less time than leveraging bagging",
    "leveraging-bagging": "accuracy under drift, one row at a time",
    "oob": "a class is rare, lately or always",
    "uob": "a class is rare, and there are more rows than time",
    "oaue": "drift of any speed, nothing left to chance",
    "arf": "accuracy under drift, one row at a time",
    "srp": "the same, many features",
    "ddd": "drifts that may be false alarms",
    "ace": "rules that return, one row at a time",
    "ocb": "boosting in a world that stays as it is",
    "dwm": "experts of any kind, one row at a time",
    "winnow": "many attributes that are on or off, few of which matter",
    "weighted-majority": "a pool of experts of your own",
    "flora2": "nominal features, descriptions that can be read",
    "flora3": "the same, rules return",
    "stagger": "nominal features, descriptions that can be read, noise",
    "rcd": "rules that return, known again by their rows",
    "artmap": "a base learner that takes new classes at any time",
    "hoeffding": "one model, one row at a time; a base learner",
    "hat": "one model that mends itself under drift",
    "cart": "a base learner of chunks",
    "stump": "a base learner of boosting",
    "boosting": "a base learner of chunks",
    "naive-bayes": "the fastest; a base learner",
    "logistic": "linear rules that move; labels in runs; a base learner",
    "mlp": "a base learner of chunks",
    "smote": "what no memory at all reaches on rare classes",
    "no-change": "what others have to beat where labels come in runs",
    "majority": "what others have to beat",
    "refit": "what others have to beat; any classifier",
}


@cache
def card() -> Mapping[str, Any]:
    """Return the figures of the panel, and of when they are."""
    text = (files("driftlearn.workbench") / "learner_figures.json").read_text("utf-8")
    return dict(json.loads(text))


def in_words(figures: Mapping[str, Any]) -> str:
    """Return a learner's figures in a line.

    Examples
    --------
    >>> in_words({"rows": 90.1, "chunks": 85.0, "speed": 46.0, "rank": 4.9})
    '90.1 % by rows, 85.0 % by chunks, 46 thousand rows/s, rank 4.9'
    """
    words = [f"{figures['speed']:g} thousand rows/s"]
    if "rank" in figures:
        words = [f"{figures['rows']} % by rows", f"{figures['chunks']} % by chunks", *words]
        words.append(f"rank {figures['rank']}")
    return ", ".join(words) + (" *" if figures.get("older") else "")


def legend() -> str:
    """Return what the figures are."""
    found = card()
    return (
        f"Figures: the panel of {found['date']}, {found['streams']} streams. Percentages right, "
        "tested and then taught row by row and in chunks of 500; thousand rows a second in chunks; "
        "mean rank by rows, 1 is best. Defaults were chosen on these streams, which flatters. "
        "* with the defaults of that day."
    )
