"""Checks of the claims about IBoost and other learners.

The claims are in ``paper.json``, which names the check of each; `driftlearn.bench.papers.claim`
derives the verdicts.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import filter as matching
from typing import Any

import numpy as np

from driftlearn.bench.papers.claim import Evidence, gaps, listed, within
from driftlearn.bench.papers.outcome import Outcome

STOCHASTIC, BATCH = "IBoost Stochastic", "IBoost Batch"


def at_least(
    outcome: Outcome, stream: str, learner: str, least: float, metric: str = "accuracy"
) -> Evidence:
    """Check that a metric of a learner reaches a value."""
    value = outcome.value(stream, learner, metric)
    return {"": value - least}, f"{value:.2f}"


def between(outcome: Outcome, stream: str, learner: str, low: float, high: float) -> Evidence:
    """Check whether the accuracy of a learner is within bounds."""
    value = outcome.accuracy(stream, learner)
    return within("", value - (low + high) / 2, (high - low) / 2), f"{value:.2f}"


def ahead(
    outcome: Outcome,
    stream: str,
    first: str,
    others: Mapping[str, float] | Iterable[str],
    metric: str = "accuracy",
) -> Evidence:
    """Check whether a learner is better than each of `others`, optionally by a number of points."""
    least = dict(others) if isinstance(others, Mapping) else dict.fromkeys(others, 0.0)
    own = outcome.value(stream, first, metric)
    found = {name: own - outcome.value(stream, name, metric) for name in least}
    return {name: found[name] - gap for name, gap in least.items()}, listed(found, "+.2f")


def course(
    outcome: Outcome,
    stream: str,
    learners: Iterable[str],
    step: float,
    metric: str = "accuracy",
    trend: bool = False,
) -> Evidence:
    """Check whether a metric changes by at least `step` (signed) from learner to learner.

    The learners are given by name patterns. With `trend`, the change of a fitted straight line from
    the first to the last learner is checked instead.
    """
    names = [name for some in learners for name in matching(outcome.experiment.learners, some)]
    values = [outcome.value(stream, name, metric) for name in names]
    if trend:
        places = np.arange(len(values))
        steps = {"trend": float(np.polyfit(places, values, 1)[0]) * places[-1]}
    else:
        pairs = zip(names[1:], itertools.pairwise(values))
        steps = {f"to {name}": b - a for name, (a, b) in pairs}
    sign = np.sign(step or 1)
    margins = {part: float(sign * change - abs(step)) for part, change in steps.items()}
    return margins, ", ".join(f"{value:.2f}" for value in values)


def not_worse(outcome: Outcome, stream: str, learner: str, than: str, slack: float) -> Evidence:
    """Check whether a learner is at most `slack` points worse than another learner."""
    gap = outcome.accuracy(stream, learner) - outcome.accuracy(stream, than)
    return {"": gap + slack}, f"{gap:+.2f}"


def alike(outcome: Outcome, stream: str, first: str, second: str, most: float) -> Evidence:
    """Check whether the accuracies of two learners differ by at most `most` points."""
    gap = outcome.accuracy(stream, first) - outcome.accuracy(stream, second)
    return within(first, gap, most), f"{gap:+.2f}"


def chain(
    outcome: Outcome, stream: str, rows: Iterable[Sequence[str]], metric: str = "accuracy"
) -> Evidence:
    """Check whether each learner in a sequence is at least as good as the next learner."""
    pairs = [pair for row in rows for pair in itertools.pairwise(row)]
    values = {name: outcome.value(stream, name, metric) for pair in pairs for name in pair}
    margins = {f"{a} at least {b}": values[a] - values[b] for a, b in pairs}
    wrong = [(a, b) for a, b in pairs if values[a] < values[b]]
    broken = [f"{a} {values[a]:.2f} < {b} {values[b]:.2f}" for a, b in wrong]
    return margins, "; ".join([f"{len(pairs) - len(broken)} of {len(pairs)}", *broken])


def chain_by_setting(
    outcome: Outcome, stream: str, order: Sequence[str], metric: str = "accuracy"
) -> Evidence:
    """Check an order of learners for each ensemble size M and window size n in Table 2."""
    rows = [[f"{name} {setting}" for name in order] for setting in _settings(outcome)]
    return chain(outcome, stream, rows, metric)


def best_recovery(outcome: Outcome, stream: str) -> Evidence:
    """Check whether IBoost Stochastic has the best recovery for each M and n, with two exceptions.

    At M = 500, it does not have the best published recovery either, and the published number of OCB
    at n = 2,000 is a misprint.
    """
    rows = [
        (f"{STOCHASTIC} {setting}", f"{other} {setting}")
        for setting in _settings(outcome)
        for other in (BATCH, "AdaBoost", "OCB", "FLB")
        if setting != "M=500 n=200" and (setting, other) != ("M=200 n=2000", "OCB")
    ]
    return chain(outcome, stream, rows, "recovery")


def _settings(outcome: Outcome) -> list[str]:
    """Return the settings of Table 2, such as "M=20 n=200": first those that vary M, then n."""
    names = matching(outcome.experiment.learners, f"{STOCHASTIC} *")
    settings = [name.removeprefix(f"{STOCHASTIC} ") for name in names]
    return sorted(settings, key=lambda setting: not setting.endswith(" n=200"))


def after(outcome: Outcome, stream: str, learner: str, most: float, rows: int = 5_000) -> Evidence:
    """Check whether a learner loses at most `most` points in the rows after a change.

    The loss is relative to the same number of rows before the change, averaged over changes.
    """
    result = outcome.results[stream]
    losses = [
        _between(result, learner, drift - rows, drift)
        - _between(result, learner, drift, drift + rows)
        for drift in result.drifts
    ]
    loss = float(np.mean(losses))
    return {"": most - loss}, f"{loss:.2f}"


def from_row(
    outcome: Outcome, stream: str, first: str, others: Iterable[str], row: int
) -> Evidence:
    """Check whether a learner is the best from a row to the end."""
    result = outcome.results[stream]
    last = int(result.rows(first)[-1])
    own = _between(result, first, row, last)
    rivals = {name: _between(result, name, row, last) for name in others}
    best = max(rivals, key=rivals.__getitem__)
    margins = {name: own - value for name, value in rivals.items()}
    return margins, f"{own:.2f}, {best} {rivals[best]:.2f}"


def after_each(
    outcome: Outcome, stream: str, first: str, others: Sequence[str], rows: int = 600
) -> Evidence:
    """Check whether a learner is the best in the rows after every change."""
    result = outcome.results[stream]
    margins: dict[str, float] = {}
    least = []
    for drift in result.drifts:
        own = _between(result, first, drift, drift + rows)
        found = {
            f"{name} after row {drift:,}": own - _between(result, name, drift, drift + rows)
            for name in others
        }
        margins |= found
        least.append(min(found.values()))
    return margins, "ahead by " + ", ".join(f"{gap:+.2f}" for gap in least)


def in_concepts(
    outcome: Outcome,
    stream: str,
    first: str,
    others: Sequence[str],
    concepts: Sequence[int],
    slack: float = 0.0,
) -> Evidence:
    """Check whether a learner is at most `slack` points worse than others in some concepts."""
    result = outcome.results[stream]
    bounds = [0, *result.drifts, int(result.rows(first)[-1])]
    found = {}
    for name in others:
        for k in concepts:
            a, b = (_between(result, n, bounds[k - 1], bounds[k]) for n in (first, name))
            found[f"{name} in concept {k}"] = a - b
    return gaps(found, slack)


def _between(result: Any, name: str, start: int, stop: int) -> float:
    """Return the mean accuracy between two rows, in percent."""
    stops = result.rows(name)
    return 100.0 * float(np.nanmean(result.scores(name)[:, (stops > start) & (stops <= stop)]))
