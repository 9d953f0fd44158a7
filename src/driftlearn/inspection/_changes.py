"""Change points in counts over spans of rows, for feature values and errors."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc

from driftlearn.evaluate import metrics
from driftlearn.utils.arguments import Floats, Ints

MOST_SPANS = 256  # all intervals of spans are tested, and their number grows quadratically
#: Minimum average number of rows per bin and span; with fewer, the chi-square approximation does
#: not hold.
FEWEST = 5
#: Smallest reported change of the error; users notice about three percentage points.
LEAST_RISE = 0.03
#: Joint significance level of all tests of an error. It is low because chi-square tests reject too
#: often when a span has few errors.
ERROR_ALPHA = 0.01


class Change(NamedTuple):
    """Change between two parts of a sequence of spans.

    Attributes
    ----------
    split, end : int
        First span and end span of the second part.
    p : float
        The p-value of a chi-square test, multiplied by the number of compared intervals.
    effect, psi : float
        Total variation distance and population stability index of both parts.
    before, after : ndarray
        Counts of both parts.
    """

    split: int
    end: int
    p: float
    effect: float
    psi: float
    before: Ints
    after: Ints


def largest_change(counts: Ints, first: int = 0, fewest: int = FEWEST) -> Change:
    """Return the interval of spans that differs most from all other spans.

    An interval that extends to the end is a lasting change. An interval in the middle is a
    temporary change, which a split into two parts would miss if it is short.

    Parameters
    ----------
    counts : int array of shape (spans, bins)
        Number of rows of each bin in each span.
    first : int
        Number of the first span.
    fewest : int
        Minimum mean number of rows per span at which a bin is tested separately.

    Examples
    --------
    >>> found = largest_change(np.array([[90, 10], [88, 12], [50, 50], [52, 48]]))
    >>> found.split, found.end, round(found.effect, 2)
    (2, 4, 0.38)
    """
    m = len(counts)
    total: Ints = counts.sum(axis=0)
    if m < 2:
        return Change(first + m, first + m, 1.0, 0.0, 0.0, total, total)
    sums = np.concatenate([np.zeros((1, counts.shape[1]), dtype=np.int64), counts.cumsum(axis=0)])
    begin, end = np.triu_indices(m + 1, k=1)
    # An interval that starts at the first span is the complement of another interval.
    begin, end = begin[begin > 0], end[begin > 0]
    inside = sums[end] - sums[begin]
    often = total >= fewest * m
    stat, dof = chi_square(
        *(_tested(each, often, total, fewest * m) for each in (total - inside, inside))
    )
    # Among equal statistics, the latest interval is chosen; it may extend to the end.
    k = int(np.flatnonzero(stat == stat.max())[-1])
    p = min(1.0, float(chdtrc(dof, stat[k])) * len(stat)) if dof else 1.0
    after, before = inside[k], total - inside[k]
    place = first + int(begin[k]), first + int(end[k])
    return Change(*place, p, *differences(before, after), before, after)


def changes_of(counts: Ints, alpha: float, least: float, fewest: int = FEWEST) -> list[Change]:
    """Return all changes in a sequence of spans, in order, by recursive division.

    Each change is tested between its neighboring changes: the newest change compares the last two
    parts.

    Parameters
    ----------
    counts : int array of shape (spans, bins)
        Number of rows of each bin in each span.
    alpha, least : float
        Significance level of the tests, and minimum effect of a change.
    fewest : int
        As in `largest_change`.
    """
    found: set[int] = set()
    rest = [(0, len(counts))]
    while rest:
        begin, end = rest.pop()
        here = largest_change(counts[begin:end], begin, fewest)
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
    """Return the chi-square statistics of pairs of counts, and their degrees of freedom.

    Parameters
    ----------
    before, after : int arrays of shape (pairs, bins)
        The counts; the sum of both counts is the same in all pairs.
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
    """Return total variation distance and population stability index of two sets of counts.

    Half a row is added to each bin that is not empty in both sets, so that the index is finite.
    """
    there = (before + after) > 0
    if not before.sum() or not after.sum():
        return 0.0, 0.0
    p, q = before[there] / before.sum(), after[there] / after.sum()
    a, b = before[there] + 0.5, after[there] + 0.5
    a, b = a / a.sum(), b / b.sum()
    return float(abs(p - q).sum() / 2), float(((a - b) * np.log(a / b)).sum())


def _tested(counts: Ints, often: np.ndarray, total: Ints, enough: int) -> Ints:
    """Return counts with rare bins merged, or omitted if their sum is also small.

    Otherwise, a single row of a rare bin in a short interval would appear significant.
    """
    frequent: Ints = counts[:, often]
    if total[~often].sum() < enough or often.all():
        return frequent
    return np.concatenate([frequent, counts[:, ~often].sum(axis=1, keepdims=True)], axis=1)


def error_changes(record: Any) -> list[dict[str, Any]]:
    """Return the changes of the error in a record, oldest first.

    The spans of the record are divided where the share of correct predictions changes, with the
    same chi-square tests as for features. After a rise, the model has recovered in the first span
    whose error is less than three points above the error before the rise.

    Parameters
    ----------
    record : object
        Any object with ``span`` and the counts ``tested`` and ``right`` in each span.

    Returns
    -------
    list of dict
        ``after``, the number of rows before the change; the error ``before`` and ``since``; and
        ``recovered``, the number of further rows until recovery, or None if the model has not
        recovered or the error fell.
    """
    right, tested = np.asarray(record.right), np.asarray(record.tested)
    counts, span = np.stack([right, tested - right], axis=1), int(record.span)
    found = []
    for change in changes_of(counts, ERROR_ALPHA / max(len(counts), 1), LEAST_RISE, fewest=0):
        before, since = (float(part[1] / part.sum()) for part in (change.before, change.after))
        errors = metrics.ratio(counts[change.split :, 1], tested[change.split :])
        good = np.flatnonzero(errors < before + LEAST_RISE)
        recovered = int(good[0]) * span if since > before and len(good) else None
        found.append({"after": change.split * span, "before": before, "since": since,
                      "recovered": recovered})  # fmt: skip
    return found
