"""What each learner is for, and how it did on the panel."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from driftlearn._learners import LEARNERS

#: When to use each learner, in a few words.
USES = {short: learner.use for short, learner in LEARNERS.items()}


@cache
def card() -> Mapping[str, Any]:
    """Return the figures of the panel, and of when they are."""
    text = (files("driftlearn.bench.workbench") / "learner_figures.json").read_text("utf-8")
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
