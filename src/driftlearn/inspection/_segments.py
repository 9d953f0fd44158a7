"""Where a row of counts changes: splits of spans in two, chi-square tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from driftlearn._types import Floats, Ints

MOST_SPANS = 4096
#: Rows that a place must have a span, on average, to be tested: below, chi-square is no guide.
FEWEST = 5


class Change(NamedTuple):
    """A split of spans in two.

    Attributes
    ----------
    split : int
        The first span of the second part.
    p : float
        That of a chi-square test, times the number of splits that were tried.
    effect, psi : float
        The total variation between both parts, and the population stability index.
    before, after : ndarray
        The counts of both parts.
    """

    split: int
    p: float
    effect: float
    psi: float
    before: Ints
    after: Ints


def judged(counts: Ints, first: int = 0) -> Change:
    """Return the split of spans in two that differ most.

    Parameters
    ----------
    counts : int array of shape (spans, places)
        How often each place was taken in each span.
    first : int
        The number of the first span.

    Examples
    --------
    >>> found = judged(np.array([[90, 10], [88, 12], [50, 50], [52, 48]]))
    >>> found.split, round(found.effect, 2)
    (2, 0.38)
    """
    m = len(counts)
    total: Ints = counts.sum(axis=0)
    if m < 2:
        return Change(first + m, 1.0, 0.0, 0.0, total, total)
    sums: Ints = np.cumsum(counts, axis=0)[:-1]
    stat, dof = chi_square(_tested(sums, total, m), _tested(total - sums, total, m))
    k = int(stat.argmax())
    p = min(1.0, float(chdtrc(dof, stat[k])) * (m - 1)) if dof else 1.0
    before, after = sums[k], total - sums[k]
    return Change(first + k + 1, p, *differences(before, after), before, after)


def changes_of(counts: Ints, alpha: float, least: float) -> list[Change]:
    """Return all changes in a row of spans, in order: the parts of a split are split again.

    Each change is judged between its neighbours, so the newest tells of the last two stretches.
    """
    found: list[int] = []
    rest = [(0, len(counts))]
    while rest:
        begin, end = rest.pop()
        here = judged(counts[begin:end], begin)
        if here.p < alpha and here.effect >= least:
            found.append(here.split)
            rest += [(begin, here.split), (here.split, end)]
    marks = [0, *sorted(found), len(counts)]
    changes = []
    for begin, split, end in zip(marks, marks[1:], marks[2:]):
        before, after = counts[begin:split].sum(axis=0), counts[split:end].sum(axis=0)
        stat, dof = chi_square(before[None], after[None])
        p = float(chdtrc(dof, stat[0])) if dof else 1.0
        changes.append(Change(split, p, *differences(before, after), before, after))
    return changes


def chi_square(before: Ints, after: Ints) -> tuple[Floats, int]:
    """Return chi-square statistics of pairs of counts, and their degrees of freedom.

    Parameters
    ----------
    before, after : int arrays of shape (pairs, places)
        The counts; both sides add up to the same in all pairs.
    """
    both = before[0] + after[0]
    there = both > 0
    dof = int(there.sum()) - 1
    if dof < 1:
        return np.zeros(len(before)), 0
    n = both.sum()
    stat = np.zeros(len(before))
    for side in (before, after):
        share = side.sum(axis=1, keepdims=True) / n
        expected = share * both[there]
        stat += ((side[:, there] - expected) ** 2 / np.maximum(expected, 1e-300)).sum(axis=1)
    return stat, dof


def differences(before: Ints, after: Ints) -> tuple[float, float]:
    """Return total variation and population stability index of two rows of counts.

    Half a row is added to each place that either has, so that the index is finite.
    """
    there = (before + after) > 0
    if not before.sum() or not after.sum():
        return 0.0, 0.0
    p, q = before[there] / before.sum(), after[there] / after.sum()
    a, b = before[there] + 0.5, after[there] + 0.5
    a, b = a / a.sum(), b / b.sum()
    return float(abs(p - q).sum() / 2), float(((a - b) * np.log(a / b)).sum())


def _tested(counts: Ints, total: Ints, m: int) -> Ints:
    """Return counts with the places that few rows take made one, or left out if even that is few.

    A single row in a short part would otherwise be a surprise that means nothing.
    """
    rare = total < FEWEST * m
    together = counts[:, rare].sum(axis=1, keepdims=True)
    kept: Ints = counts[:, ~rare]
    return np.concatenate([kept, together], axis=1) if total[rare].sum() >= FEWEST * m else kept
