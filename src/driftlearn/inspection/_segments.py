"""Where a row of counts changes: stretches of spans that differ from the others, by chi-square."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from driftlearn.utils.typing import Floats, Ints

MOST_SPANS = 256  # all stretches of spans are compared, of which there are half of the square
#: Rows that a place must have a span, on average, to be tested: below, chi-square is no guide.
FEWEST = 5


class Change(NamedTuple):
    """Two parts of a row of spans that differ.

    Attributes
    ----------
    split, end : int
        The first span of the second part, and the one after its last.
    p : float
        That of a chi-square test, times the number of stretches that were compared.
    effect, psi : float
        The total variation between both parts, and the population stability index.
    before, after : ndarray
        The counts of both parts.
    """

    split: int
    end: int
    p: float
    effect: float
    psi: float
    before: Ints
    after: Ints


def judged(counts: Ints, first: int = 0, fewest: int = FEWEST) -> Change:
    """Return the stretch of spans that differs most from all others.

    One that reaches to the end is a change that lasts, and one in the middle something that came
    and went, which no split in two would find if it is short.

    Parameters
    ----------
    counts : int array of shape (spans, places)
        How often each place was taken in each span.
    first : int
        The number of the first span.
    fewest : int
        Rows that a place must have a span, on average, to be tested by itself.

    Examples
    --------
    >>> found = judged(np.array([[90, 10], [88, 12], [50, 50], [52, 48]]))
    >>> found.split, found.end, round(found.effect, 2)
    (2, 4, 0.38)
    """
    m = len(counts)
    total: Ints = counts.sum(axis=0)
    if m < 2:
        return Change(first + m, first + m, 1.0, 0.0, 0.0, total, total)
    sums = np.concatenate([np.zeros((1, counts.shape[1]), dtype=np.int64), counts.cumsum(axis=0)])
    begin, end = np.triu_indices(m + 1, k=1)
    begin, end = begin[begin > 0], end[begin > 0]  # the first span is in the other part
    inside = sums[end] - sums[begin]
    often = total >= fewest * m
    stat, dof = chi_square(
        *(_tested(each, often, total, fewest * m) for each in (total - inside, inside))
    )
    # the latest of equals, which lasts
    k = int(np.flatnonzero(stat == stat.max())[-1])
    p = min(1.0, float(chdtrc(dof, stat[k])) * len(stat)) if dof else 1.0
    after, before = inside[k], total - inside[k]
    place = first + int(begin[k]), first + int(end[k])
    return Change(*place, p, *differences(before, after), before, after)


def changes_of(counts: Ints, alpha: float, least: float, fewest: int = FEWEST) -> list[Change]:
    """Return all changes in a row of spans, in order: parts are divided again.

    Each change is judged between its neighbours, so the newest tells of the last two stretches.

    Parameters
    ----------
    counts : int array of shape (spans, places)
        How often each place was taken in each span.
    alpha, least : float
        The level of the tests, and the least effect of a change.
    fewest : int
        As in `judged`.
    """
    found: set[int] = set()
    rest = [(0, len(counts))]
    while rest:
        begin, end = rest.pop()
        here = judged(counts[begin:end], begin, fewest)
        if here.p < alpha and here.effect >= least:
            found |= {here.split, here.end} - {end}
            rest += [(begin, here.split), (here.split, here.end)]
            rest += [(here.end, end)] if here.end < end else []
    marks = [0, *sorted(found), len(counts)]
    changes = []
    for begin, split, end in zip(marks, marks[1:], marks[2:]):
        before, after = counts[begin:split].sum(axis=0), counts[split:end].sum(axis=0)
        stat, dof = chi_square(before[None], after[None])
        p = float(chdtrc(dof, stat[0])) if dof else 1.0
        changes.append(Change(split, end, p, *differences(before, after), before, after))
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


def _tested(counts: Ints, often: np.ndarray, total: Ints, enough: int) -> Ints:
    """Return counts with the places that few rows take made one, or left out if that is few, too.

    A single row in a short stretch would otherwise be a surprise that means nothing.
    """
    kept: Ints = counts[:, often]
    if total[~often].sum() < enough or often.all():
        return kept
    return np.concatenate([kept, counts[:, ~often].sum(axis=1, keepdims=True)], axis=1)
