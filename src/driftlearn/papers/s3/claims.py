"""What the paper says of IBoost and its rivals, as claims."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.papers import Claim, Outcome


def at_least(stream: str, learner: str, least: float, metric: str = "accuracy") -> Claim:
    """Say how good a learner is at least."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        value = outcome.value(stream, learner, metric)
        return value >= least, f"{value:.2f}"

    return Claim(f"{stream}: {metric} of {learner} at least {least}", judge, (stream,))


def between(stream: str, learner: str, low: float, high: float) -> Claim:
    """Say between which bounds a learner's accuracy lies."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        value = outcome.accuracy(stream, learner)
        return low <= value <= high, f"{value:.2f}"

    return Claim(f"{stream}: accuracy of {learner} from {low} to {high}", judge, (stream,))


def ahead(
    stream: str,
    first: str,
    others: Mapping[str, float] | Iterable[str],
    metric: str = "accuracy",
) -> Claim:
    """Say by how much at least a learner is better than each of others; by anything, if unsaid."""
    gaps = dict(others) if isinstance(others, Mapping) else dict.fromkeys(others, 0.0)

    def judge(outcome: Outcome) -> tuple[bool, str]:
        own = outcome.value(stream, first, metric)
        found = {name: own - outcome.value(stream, name, metric) for name in gaps}
        holds = all(found[name] >= gap and found[name] > 0 for name, gap in gaps.items())
        return holds, ", ".join(f"{name} {value:+.2f}" for name, value in found.items())

    margins = ", ".join(name + (f" by {gap}" if gap else "") for name, gap in gaps.items())
    return Claim(f"{stream}: {metric} of {first} above {margins}", judge, (stream,))


def course(
    text: str,
    stream: str,
    learners: Sequence[str],
    step: float,
    metric: str = "accuracy",
    ends: bool = False,
) -> Claim:
    """Say that a metric changes from learner to learner by at least a step, which has a sign.

    With `ends` only the first learner and the last are compared.
    """

    def judge(outcome: Outcome) -> tuple[bool, str]:
        values = [outcome.value(stream, name, metric) for name in learners]
        compared = [values[0], values[-1]] if ends else values
        steps = [np.sign(step or 1) * (b - a) for a, b in itertools.pairwise(compared)]
        return min(steps) >= abs(step), ", ".join(f"{value:.2f}" for value in values)

    return Claim(f"{stream}: {text}", judge, (stream,))


def not_worse(stream: str, learner: str, than: str, slack: float) -> Claim:
    """Say that a learner is no worse than another but for some slack."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        gap = outcome.accuracy(stream, learner) - outcome.accuracy(stream, than)
        return gap >= -slack, f"{gap:+.2f}"

    return Claim(f"{stream}: {learner} at least {than} - {slack}", judge, (stream,))


def alike(stream: str, first: str, second: str, most: float) -> Claim:
    """Say by how many points at most the accuracies of two learners differ."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        gap = outcome.accuracy(stream, first) - outcome.accuracy(stream, second)
        return abs(gap) <= most, f"{gap:+.2f}"

    return Claim(f"{stream}: {first} and {second} within {most} points", judge, (stream,))


def chain(
    text: str,
    stream: str,
    rows: Iterable[Sequence[str]],
    metric: str = "accuracy",
) -> Claim:
    """Say that in each of some rows of learners every one is at least as good as the next.

    They are compared to two decimals, as they are shown.
    """
    rows = [tuple(row) for row in rows]

    def judge(outcome: Outcome) -> tuple[bool, str]:
        values = [[round(outcome.value(stream, name, metric), 2) for name in row] for row in rows]
        broken = [
            f"{row[k]} {value[k]:.2f} < {row[k + 1]} {value[k + 1]:.2f}"
            for row, value in zip(rows, values)
            for k in range(len(row) - 1)
            if value[k] < value[k + 1]
        ]
        total = sum(len(row) - 1 for row in rows)
        return not broken, f"{total - len(broken)} of {total}" + "".join(f"; {b}" for b in broken)

    return Claim(f"{stream}: {text}", judge, (stream,))


def after(stream: str, learner: str, most: float, rows: int = 5_000) -> Claim:
    """Say how many points at most a learner loses in the rows after a change.

    It is compared with as many rows before the change; the mean over changes.
    """

    def judge(outcome: Outcome) -> tuple[bool, str]:
        result = outcome.results[stream]
        losses = [
            _between(result, learner, drift - rows, drift)
            - _between(result, learner, drift, drift + rows)
            for drift in result.drifts
        ]
        loss = float(np.mean(losses))
        return loss < most, f"{loss:.2f}"

    text = f"{stream}: {learner} loses less than {most} points in {rows} rows after the change"
    return Claim(text, judge, (stream,))


def from_row(stream: str, first: str, others: Iterable[str], row: int) -> Claim:
    """Say that a learner is the best of all from a row on."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        result = outcome.results[stream]
        last = int(result.rows(first)[-1])
        own = _between(result, first, row, last)
        rivals = {name: _between(result, name, row, last) for name in others}
        best = max(rivals, key=rivals.__getitem__)
        return own > rivals[best], f"{own:.2f}, {best} {rivals[best]:.2f}"

    return Claim(f"{stream}: {first} first from row {row:,} on", judge, (stream,))


def after_each(stream: str, first: str, others: Iterable[str], rows: int = 600) -> Claim:
    """Say that a learner is the best of all in the rows after every change."""
    rivals = tuple(others)

    def judge(outcome: Outcome) -> tuple[bool, str]:
        result = outcome.results[stream]
        gaps = []
        for drift in result.drifts:
            own, *theirs = (
                _between(result, name, drift, drift + rows) for name in (first, *rivals)
            )
            gaps.append(own - max(theirs))
        return min(gaps) > 0, "ahead by " + ", ".join(f"{gap:+.2f}" for gap in gaps)

    text = f"{stream}: {first} the best in the {rows} rows after each change"
    return Claim(text, judge, (stream,))


def in_concepts(
    stream: str, first: str, other: str, concepts: Sequence[int], slack: float = 0.0
) -> Claim:
    """Say that a learner is at least as good as another, but for some slack, in some concepts."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        result = outcome.results[stream]
        bounds = [0, *result.drifts, int(result.rows(first)[-1])]
        gaps = []
        for k in concepts:
            a, b = (_between(result, name, bounds[k - 1], bounds[k]) for name in (first, other))
            gaps.append(a - b)
        return min(gaps) >= -slack, ", ".join(f"{gap:+.2f}" for gap in gaps)

    which = ", ".join(map(str, concepts))
    margin = f" - {slack}" if slack else ""
    noun = "concept" if len(concepts) == 1 else "concepts"
    text = f"{stream}: {first} at least {other}{margin} in {noun} {which}"
    return Claim(text, judge, (stream,))


def _between(result: Any, name: str, start: int, stop: int) -> float:
    """Return the mean accuracy between two rows, in percent."""
    stops = result.rows(name)
    return 100.0 * float(np.nanmean(result.scores(name)[:, (stops > start) & (stops <= stop)]))
