"""What the paper says of Learn++.UDNC when new classes come and some are rare, as claims."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from driftlearn.papers import Claim, Outcome, full_only
from driftlearn.papers.s4.streams_and_learners import FILLED, GAUSSIAN, IMBALANCE, PLAIN, SETS, UDNC


def series(values: Any) -> str:
    """Return numbers as a row of a table.

    Examples
    --------
    >>> series([97.04, 89.3])
    '97.0 89.3'
    """
    return " ".join(f"{value:.1f}" for value in values)


def for_each(
    text: str, judge: Callable[[Outcome, str], tuple[bool, str]], streams: tuple[str, ...]
) -> Claim:
    """Return a claim about several streams; it holds if it does on each."""

    def judge_all(outcome: Outcome) -> tuple[bool, str]:
        answers = {stream: judge(outcome, stream) for stream in streams}
        figure = "; ".join(f"{stream}: {text}" for stream, (_, text) in answers.items())
        return all(holds for holds, _ in answers.values()), figure

    return Claim(text, judge_all, streams)


def rows(outcome: Outcome, stream: str, learner: str, label: Any = None) -> np.ndarray:
    """Return a class's recall, or what is overall, after each data set in percent."""
    values: np.ndarray = outcome.overall(stream, learner).mean(axis=0)
    if label is not None:
        column = int(np.searchsorted(outcome.results[stream].classes, label))
        values = outcome.recalls(stream, learner)[:, column]
    return values


def above(
    text: str,
    streams: tuple[str, ...],
    other: str,
    tests: tuple[str, ...],
    label: Any = None,
    points: float = 0.0,
) -> Claim:
    """Say that Learn++.UDNC is better than another learner after some data sets."""

    def judge(outcome: Outcome, stream: str) -> tuple[bool, str]:
        at = [outcome.experiment.tests.index(test) for test in tests]
        ours, theirs = (rows(outcome, stream, name, label)[at] for name in (UDNC, other))
        return bool((ours - theirs > points).all()), f"{series(ours)} against {series(theirs)}"

    return for_each(text, judge, streams)


def rare_falls(outcome: Outcome, stream: str) -> tuple[bool, str]:
    """Judge whether class 1 is the less known the more other classes there are."""
    values = rows(outcome, stream, UDNC, 1)
    return all(a > b for a, b in itertools.pairwise(values[:3])), series(values)


def survives(outcome: Outcome, stream: str) -> tuple[bool, str]:
    """Judge whether class 3 is still known when it is gone."""
    before, after = rows(outcome, stream, UDNC, 3)[2:]
    return abs(before - after) <= 5 and after >= 75, f"{before:.1f}, then {after:.1f}"


def after_d3(outcome: Outcome, stream: str) -> tuple[bool, str]:
    """Judge the level when all classes are there."""
    value = outcome.level(stream, UDNC, "D3")
    return 82 <= value <= 92, f"{value:.1f}"


def smote_alike(outcome: Outcome, stream: str) -> tuple[bool, str]:
    """Judge whether SMOTE knows class 1 as well in the first two data sets, better in the last."""
    ours, theirs = (rows(outcome, stream, name, 1) for name in (UDNC, "SMOTE"))
    near = (np.abs(ours - theirs)[:2] <= 6).all()
    return bool(near and theirs[3] > ours[3]), f"{series(ours)} against {series(theirs)}"


def levels(expected: Mapping[str, tuple[float, float]]) -> Claim:
    """Say between which levels Learn++.UDNC is after each data set."""

    def judge(outcome: Outcome, stream: str) -> tuple[bool, str]:
        values = rows(outcome, stream, UDNC)
        inside = [low <= v <= high for v, (low, high) in zip(values, expected.values())]
        return all(inside), series(values)

    text = ", ".join(f"{test} {low} to {high}" for test, (low, high) in expected.items())
    return for_each(f"overall of UDNC: {text}", judge, ("OCR",))


def alike_at_last(outcome: Outcome, stream: str) -> tuple[bool, str]:
    """Judge whether UDNC and ARTMAP are the same after D*."""
    ours, theirs = (outcome.level(stream, name, "D*") for name in (UDNC, "ARTMAP"))
    return abs(ours - theirs) <= 3, f"{ours:.1f} and {theirs:.1f}"


def knows_zero(outcome: Outcome, stream: str) -> tuple[bool, str]:
    """Judge the rare digit."""
    values = rows(outcome, stream, UDNC, 0)
    return bool((values >= 95).all()), series(values)


def better_on_five(outcome: Outcome, stream: str) -> tuple[bool, str]:
    """Judge the digits on which the paper finds UDNC better than ARTMAP."""
    gaps = {c: outcome.recall(stream, UDNC, "D4", c) - outcome.recall(stream, "ARTMAP", "D4", c)
            for c in (2, 3, 6, 7, 8)}  # fmt: skip
    return min(gaps.values()) > 0, ", ".join(f"{c} {gap:+.1f}" for c, gap in gaps.items())


def filling_helps(other: str, metric: str, outcome: Outcome, stream: str) -> tuple[bool, str]:
    """Judge whether SMOTE inside UDNC is better than another learner after the last data set."""
    label = 1 if metric == "recall" else None
    ours, theirs = (rows(outcome, stream, name, label)[-1] for name in (FILLED, other))
    return bool(ours > theirs), f"{ours:.1f} against {theirs:.1f}"


TABLES_2_3 = (
    for_each("recall of class 1 falls from D1 to D3", rare_falls, GAUSSIAN),
    above("class 1: UDNC above ARTMAP after each data set", GAUSSIAN, "ARTMAP", SETS, 1),
    above("class 1: better with the transfer function", GAUSSIAN, PLAIN, SETS, 1),
    *full_only(
        for_each("class 3 within 5 points when it is gone, at least 75", survives, GAUSSIAN),
        for_each("overall after D3 from 82 to 92", after_d3, GAUSSIAN),
        above("class 1: UDNC over 30 points above ARTMAP", GAUSSIAN, "ARTMAP", SETS, 1, 30),
        above("overall: UDNC above ARTMAP after each data set", GAUSSIAN, "ARTMAP", SETS),
        above("class 3 after D4: UDNC above SMOTE", GAUSSIAN, "SMOTE", ("D4",), 3),
        for_each("class 1: UDNC and SMOTE within 6 points at D1 and D2, SMOTE better at D4",
                 smote_alike, GAUSSIAN),
        above("overall: better with the transfer function", GAUSSIAN, PLAIN, SETS),
    ),
)  # fmt: skip
TABLE_5 = (
    above("UDNC above ARTMAP after D3 and D4", ("OCR",), "ARTMAP", ("D3", "D4")),
    above("class 1 after D*: UDNC above ARTMAP", ("OCR",), "ARTMAP", ("D*",), 1),
    above("class 1 after D*: better with the transfer function", ("OCR",), PLAIN, ("D*",), 1),
    *full_only(
        levels({"D1": (45, 51), "D2": (55, 64), "D3": (71, 81), "D4": (85, 93), "D*": (88, 95)}),
        for_each("UDNC and ARTMAP within 3 points after D*", alike_at_last, ("OCR",)),
        above("overall after D*: better with the transfer function", ("OCR",), PLAIN, ("D*",)),
    ),
)
TABLE_6 = (
    levels({"D1": (54, 60), "D2": (62, 73), "D3": (70, 79), "D4": (84, 91)}),
    *full_only(
        for_each("class 0 at least 95 after each data set", knows_zero, ("OCR",)),
        above("UDNC above ARTMAP after each data set", ("OCR",), "ARTMAP", SETS),
        for_each("UDNC above ARTMAP on 2, 3, 6, 7, 8 after D4", better_on_five, ("OCR",)),
        above("class 0: better with the transfer function", ("OCR",), PLAIN, SETS, 0),
    ),
)
FUTURE_WORK = (
    above("class 1: better with the transfer function", IMBALANCE, PLAIN, SETS, 1),
    *full_only(
        *(
            for_each(f"{what} after D4: UDNC with SMOTE above {other}",
                     partial(filling_helps, other, metric), IMBALANCE)
            for other in (UDNC, "SMOTE")
            for what, metric in (("class 1", "recall"), ("balanced accuracy", "overall"))
        ),
        above("balanced accuracy: better with the transfer function", IMBALANCE, PLAIN, SETS),
    ),
)  # fmt: skip
