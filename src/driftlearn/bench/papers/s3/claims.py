"""What the paper says of IBoost and its rivals, as claims."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.claim import Claim, Judged, within
from driftlearn.bench.papers.outcome import Outcome


def at_least(stream: str, learner: str, least: float, metric: str = "accuracy") -> Claim:
    """Say how good a learner is at least."""

    def judge(outcome: Outcome) -> Judged:
        value = outcome.value(stream, learner, metric)
        return {"": value - least}, f"{value:.2f}"

    return Claim(f"{stream}: {metric} of {learner} at least {least}", judge, (stream,))


def between(stream: str, learner: str, low: float, high: float) -> Claim:
    """Say between which bounds a learner's accuracy lies."""

    def judge(outcome: Outcome) -> Judged:
        value = outcome.accuracy(stream, learner)
        return within("", value - (low + high) / 2, (high - low) / 2), f"{value:.2f}"

    return Claim(f"{stream}: accuracy of {learner} from {low} to {high}", judge, (stream,))


def ahead(
    stream: str,
    first: str,
    others: Mapping[str, float] | Iterable[str],
    metric: str = "accuracy",
) -> Claim:
    """Say by how much at least a learner is better than each of others; by anything, if unsaid."""
    gaps = dict(others) if isinstance(others, Mapping) else dict.fromkeys(others, 0.0)

    def judge(outcome: Outcome) -> Judged:
        own = outcome.value(stream, first, metric)
        found = {name: own - outcome.value(stream, name, metric) for name in gaps}
        margins = {name: found[name] - gap for name, gap in gaps.items()}
        return margins, ", ".join(f"{name} {value:+.2f}" for name, value in found.items())

    margins = ", ".join(name + (f" by {gap}" if gap else "") for name, gap in gaps.items())
    return Claim(f"{stream}: {metric} of {first} above {margins}", judge, (stream,))


def course(
    text: str,
    stream: str,
    learners: Sequence[str],
    step: float,
    metric: str = "accuracy",
    trend: bool = False,
) -> Claim:
    """Say that a metric changes from learner to learner by at least a step, which has a sign.

    With `trend` it is the straight line through all of them that changes by so much from the first
    to the last.
    """
    sign = np.sign(step or 1)

    def judge(outcome: Outcome) -> Judged:
        values = [outcome.value(stream, name, metric) for name in learners]
        if trend:
            places = np.arange(len(values))
            steps = {"trend": float(np.polyfit(places, values, 1)[0]) * places[-1]}
        else:
            pairs = zip(learners[1:], itertools.pairwise(values))
            steps = {f"to {name}": b - a for name, (a, b) in pairs}
        margins = {part: float(sign * change - abs(step)) for part, change in steps.items()}
        return margins, ", ".join(f"{value:.2f}" for value in values)

    return Claim(f"{stream}: {text}", judge, (stream,))


def not_worse(stream: str, learner: str, than: str, slack: float) -> Claim:
    """Say that a learner is no worse than another but for some slack."""

    def judge(outcome: Outcome) -> Judged:
        gap = outcome.accuracy(stream, learner) - outcome.accuracy(stream, than)
        return {"": gap + slack}, f"{gap:+.2f}"

    return Claim(f"{stream}: {learner} at least {than} - {slack}", judge, (stream,))


def alike(stream: str, first: str, second: str, most: float) -> Claim:
    """Say by how many points at most the accuracies of two learners differ."""

    def judge(outcome: Outcome) -> Judged:
        gap = outcome.accuracy(stream, first) - outcome.accuracy(stream, second)
        return within(first, gap, most), f"{gap:+.2f}"

    return Claim(f"{stream}: {first} and {second} within {most} points", judge, (stream,))


def chain(
    text: str,
    stream: str,
    rows: Iterable[Sequence[str]],
    metric: str = "accuracy",
) -> Claim:
    """Say that in each of some rows of learners every one is at least as good as the next."""
    pairs = [pair for row in rows for pair in itertools.pairwise(row)]

    def judge(outcome: Outcome) -> Judged:
        values = {name: outcome.value(stream, name, metric) for pair in pairs for name in pair}
        margins = {f"{a} at least {b}": values[a] - values[b] for a, b in pairs}
        broken = [f"{a} {values[a]:.2f} < {b} {values[b]:.2f}"
                  for a, b in pairs if values[a] < values[b]]  # fmt: skip
        return margins, "; ".join([f"{len(pairs) - len(broken)} of {len(pairs)}", *broken])

    return Claim(f"{stream}: {text}", judge, (stream,))


def after(stream: str, learner: str, most: float, rows: int = 5_000) -> Claim:
    """Say how many points at most a learner loses in the rows after a change.

    It is compared with as many rows before the change; the mean over changes.
    """

    def judge(outcome: Outcome) -> Judged:
        result = outcome.results[stream]
        losses = [
            _between(result, learner, drift - rows, drift)
            - _between(result, learner, drift, drift + rows)
            for drift in result.drifts
        ]
        loss = float(np.mean(losses))
        return {"": most - loss}, f"{loss:.2f}"

    text = f"{stream}: {learner} loses less than {most} points in {rows} rows after the change"
    return Claim(text, judge, (stream,))


def from_row(stream: str, first: str, others: Iterable[str], row: int) -> Claim:
    """Say that a learner is the best of all from a row on."""

    def judge(outcome: Outcome) -> Judged:
        result = outcome.results[stream]
        last = int(result.rows(first)[-1])
        own = _between(result, first, row, last)
        rivals = {name: _between(result, name, row, last) for name in others}
        best = max(rivals, key=rivals.__getitem__)
        margins = {name: own - value for name, value in rivals.items()}
        return margins, f"{own:.2f}, {best} {rivals[best]:.2f}"

    return Claim(f"{stream}: {first} first from row {row:,} on", judge, (stream,))


def after_each(stream: str, first: str, others: Iterable[str], rows: int = 600) -> Claim:
    """Say that a learner is the best of all in the rows after every change."""
    rivals = tuple(others)

    def judge(outcome: Outcome) -> Judged:
        result = outcome.results[stream]
        margins: dict[str, float] = {}
        gaps = []
        for drift in result.drifts:
            own = _between(result, first, drift, drift + rows)
            ahead = {
                f"{name} after row {drift:,}": own - _between(result, name, drift, drift + rows)
                for name in rivals
            }
            margins |= ahead
            gaps.append(min(ahead.values()))
        return margins, "ahead by " + ", ".join(f"{gap:+.2f}" for gap in gaps)

    text = f"{stream}: {first} the best in the {rows} rows after each change"
    return Claim(text, judge, (stream,))


def in_concepts(
    stream: str, first: str, others: Sequence[str], concepts: Sequence[int], slack: float = 0.0
) -> Claim:
    """Say that a learner is at least as good as others, but for some slack, in some concepts."""

    def judge(outcome: Outcome) -> Judged:
        result = outcome.results[stream]
        bounds = [0, *result.drifts, int(result.rows(first)[-1])]
        gaps = {}
        for name in others:
            for k in concepts:
                a, b = (_between(result, n, bounds[k - 1], bounds[k]) for n in (first, name))
                gaps[f"{name} in concept {k}"] = a - b
        margins = {part: gap + slack for part, gap in gaps.items()}
        return margins, ", ".join(f"{part} {gap:+.2f}" for part, gap in gaps.items())

    which = ", ".join(map(str, concepts))
    margin = f" - {slack}" if slack else ""
    noun = "concept" if len(concepts) == 1 else "concepts"
    text = f"{stream}: {first} at least {', '.join(others)}{margin} in {noun} {which}"
    return Claim(text, judge, (stream,))


def _between(result: Any, name: str, start: int, stop: int) -> float:
    """Return the mean accuracy between two rows, in percent."""
    stops = result.rows(name)
    return 100.0 * float(np.nanmean(result.scores(name)[:, (stops > start) & (stops <= stop)]))
