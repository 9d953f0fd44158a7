"""Benchmark results of each learner, for recommendations."""

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
    """Return the results of the benchmark suite and their date."""
    text = (files("driftlearn.bench.workbench") / "learner_figures.json").read_text("utf-8")
    return dict(json.loads(text))


def in_words(figures: Mapping[str, Any]) -> str:
    """Return the results of a learner in one line.

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
    """Return a description of the results."""
    found = card()
    return (
        f"Results of the benchmark suite of {found['date']}, {found['streams']} streams: accuracy "
        "in percent, test-then-train by rows and in chunks of 500; thousands of rows per second in "
        "chunks; mean rank by rows, 1 is best. Defaults were chosen on these streams, so the "
        "results are optimistic. * with the defaults of that date."
    )
