"""Checks of the claims about Learn++.UDNC with new and rare classes.

The claims are in ``paper.json``, which names the check of each; `driftlearn.bench.papers.claim`
derives the verdicts.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.claim import Evidence, on_each, within
from driftlearn.bench.papers.outcome import Outcome

UDNC, FILLED = "Learn++.UDNC", "Learn++.UDNC with SMOTE"
SETS = ("D1", "D2", "D3", "D4")


def series(values: Iterable[float]) -> str:
    """Format numbers as a table row.

    Examples
    --------
    >>> series([97.04, 89.3])
    '97.0 89.3'
    """
    return " ".join(f"{value:.1f}" for value in values)


def rows(outcome: Outcome, stream: str, learner: str, label: Any = None) -> np.ndarray:
    """Return the recall of a class, or the overall accuracy, after each data set in percent."""
    if label is None:
        values: np.ndarray = outcome.overall(stream, learner).mean(axis=0)
        return values
    column = int(np.searchsorted(outcome.results[stream].classes, label))
    return outcome.recalls(stream, learner)[:, column]


@on_each
def above(
    outcome: Outcome, stream: str, other: str, tests: Sequence[str],
    label: Any = None, points: float = 0.0,
) -> Evidence:  # fmt: skip
    """Check whether Learn++.UDNC is better than another learner after some data sets."""
    at = [outcome.experiment.tests.index(test) for test in tests]
    own, theirs = (rows(outcome, stream, name, label)[at] for name in (UDNC, other))
    margins = dict(zip(tests, (own - theirs - points).tolist()))
    return margins, f"{series(own)} against {series(theirs)}"


@on_each
def rare_falls(outcome: Outcome, stream: str) -> Evidence:
    """Check whether the recall of class 1 decreases as further classes are added."""
    values = rows(outcome, stream, UDNC, 1)
    steps = zip(itertools.pairwise(SETS), itertools.pairwise(values[:3]))
    return {f"{first} to {then}": a - b for (first, then), (a, b) in steps}, series(values)


@on_each
def survives(outcome: Outcome, stream: str) -> Evidence:
    """Check whether the recall of class 3 remains high after the class disappears."""
    before, after = rows(outcome, stream, UDNC, 3)[2:]
    margins = {**within("D4 - D3", after - before, 5), "at least 75": after - 75}
    return margins, f"{before:.1f}, then {after:.1f}"


@on_each
def after_d3(outcome: Outcome, stream: str) -> Evidence:
    """Check whether the overall accuracy is near 87 % after the data set with all classes."""
    value = outcome.level(stream, UDNC, "D3")
    return within("", value - 87, 5), f"{value:.1f}"


@on_each
def smote_alike(outcome: Outcome, stream: str) -> Evidence:
    """Check whether SMOTE has equal recall of class 1 in D1 and D2, and higher recall in D4."""
    own, theirs = (rows(outcome, stream, name, 1) for name in (UDNC, "SMOTE"))
    gaps = own - theirs
    margins = {**within("D1", gaps[0], 6), **within("D2", gaps[1], 6), "D4": -gaps[3]}
    return margins, f"{series(own)} against {series(theirs)}"


@on_each
def levels(outcome: Outcome, stream: str, expected: Mapping[str, tuple[float, float]]) -> Evidence:
    """Check whether the overall accuracy of Learn++.UDNC is within bounds after each data set."""
    values = rows(outcome, stream, UDNC)
    margins: dict[str, float] = {}
    for value, (test, (low, high)) in zip(values, expected.items()):
        margins |= within(test, value - (low + high) / 2, (high - low) / 2)
    return margins, series(values)


@on_each
def alike_at_last(outcome: Outcome, stream: str) -> Evidence:
    """Check whether UDNC and ARTMAP differ by at most 3 points after D*."""
    own, theirs = (outcome.level(stream, name, "D*") for name in (UDNC, "ARTMAP"))
    return within("UDNC", own - theirs, 3), f"{own:.1f} and {theirs:.1f}"


@on_each
def knows_zero(outcome: Outcome, stream: str) -> Evidence:
    """Check whether the recall of the rare digit 0 is at least 95 % after each data set."""
    values = rows(outcome, stream, UDNC, 0)
    return dict(zip(SETS, (values - 95).tolist())), series(values)


@on_each
def better_on_five(outcome: Outcome, stream: str) -> Evidence:
    """Check whether UDNC is better than ARTMAP on five digits."""
    gaps = {c: outcome.recall(stream, UDNC, "D4", c) - outcome.recall(stream, "ARTMAP", "D4", c)
            for c in (2, 3, 6, 7, 8)}  # fmt: skip
    margins = {f"class {c}": gap for c, gap in gaps.items()}
    return margins, ", ".join(f"{c} {gap:+.1f}" for c, gap in gaps.items())


@on_each
def filling_helps(outcome: Outcome, stream: str, other: str, label: Any = None) -> Evidence:
    """Check whether UDNC with SMOTE is better than another learner after the last data set."""
    own, theirs = (float(rows(outcome, stream, name, label)[-1]) for name in (FILLED, other))
    return {"": own - theirs}, f"{own:.1f} against {theirs:.1f}"
