"""What S3 says of IBoost and its rivals, as claims about an outcome."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn._table import Table
from driftlearn.papers._experiment import Claim, Outcome

METRICS = {"recovery": 100.0, "accuracy": 100.0, "rows/s": 1.0}


def figure(outcome: Outcome, stream: str, learner: str, metric: str = "accuracy") -> float:
    """Return a learner's mean over seeds: accuracy or recovery in percent, or rows a second."""
    return METRICS[metric] * outcome.results[stream].summary(learner)[metric]


def at_least(stream: str, learner: str, least: float, metric: str = "accuracy") -> Claim:
    """Say how good a learner is at least."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        value = figure(outcome, stream, learner, metric)
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
        own = figure(outcome, stream, first, metric)
        found = {name: own - figure(outcome, stream, name, metric) for name in gaps}
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
        values = [figure(outcome, stream, name, metric) for name in learners]
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


def chain(
    text: str,
    stream: str,
    rows: Iterable[Sequence[str]],
    metric: str = "accuracy",
) -> Claim:
    """Say that in each of some rows of learners every one is at least as good as the next."""
    rows = [tuple(row) for row in rows]

    def judge(outcome: Outcome) -> tuple[bool, str]:
        values = [[figure(outcome, stream, name, metric) for name in row] for row in rows]
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
        losses = []
        for result in outcome.results[stream].results:
            stops, scores = result.rows(learner), result.scores(learner)
            for drift in result.drifts:
                before = scores[(stops > drift - rows) & (stops <= drift)]
                losses.append(
                    before.mean() - scores[(stops > drift) & (stops <= drift + rows)].mean()
                )
        loss = 100.0 * float(np.mean(losses))
        return loss < most, f"{loss:.2f}"

    text = f"{stream}: {learner} loses less than {most} points in {rows} rows after the change"
    return Claim(text, judge, (stream,))


def from_row(stream: str, first: str, others: Iterable[str], row: int) -> Claim:
    """Say that a learner is the best of all from a row on."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        def late(name: str) -> float:
            result = outcome.results[stream]
            return 100.0 * float(np.nanmean(result.scores(name)[:, result.rows(name) > row]))

        own, rivals = late(first), {name: late(name) for name in others}
        best = max(rivals, key=rivals.__getitem__)
        return own > rivals[best], f"{own:.2f}, {best} {rivals[best]:.2f}"

    return Claim(f"{stream}: {first} first from row {row:,} on", judge, (stream,))


def recovery_table(outcome: Outcome, printed: Mapping[str, Mapping[str, float]]) -> Table:
    """Return published and own recovery for each stream that changes and learner, in percent.

    Examples
    --------
    >>> from driftlearn.papers import s3
    >>> small = s3.table_2(members=(20,), windows=(), n_rows=400)
    >>> outcome = small.run([0], learners=["IBoost Stochastic M=20 n=200"])
    >>> recovery_table(outcome, s3.RECOVERY)["published"]
    array([92.5])
    """
    rows: list[tuple[Any, ...]] = []
    for stream, result in outcome.results.items():
        for name in result.names if result.drifts else ():
            known = printed.get(stream, {}).get(name, np.nan)
            ours = figure(outcome, stream, name, "recovery")
            rows.append((stream, name, known, round(ours, 2), round(ours - known, 2)))
    return Table(dict(zip(("stream", "learner", "published", "ours", "difference"), zip(*rows))))
