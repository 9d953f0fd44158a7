"""Change points in counts over spans of rows, for feature values and errors."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtr, chdtrc, chdtri, fdtrc

from driftlearn.evaluate import metrics
from driftlearn.utils.arguments import Floats, Ints

MOST_SPANS = 256  # all intervals of spans are tested, and their number grows quadratically
#: Minimum average number of rows per bin and span; with fewer, the chi-square approximation does
#: not hold.
FEWEST = 5
#: Minimum number of pairs of spans for an estimate of the dispersion.
FEWEST_PAIRS = 14
#: Significance level of the second test of a change, in its own direction, for each possible split.
#: The first test has all bins, and the dispersion of a single direction is known less well.
ALONG_ALPHA = 0.01
#: Degrees of freedom of this estimate per pair, since pairs overlap and the largest are omitted.
EFFICIENCY = 0.4
Z95 = 1.96  # 95 % of a normal distribution lie within this many standard deviations
#: Smallest reported change of the error; users notice about three percentage points.
LEAST_RISE = 0.03
LEAST_SHARE = 0.05  # smallest reported change of the share of a class
#: Joint significance level of all tests of an error. It is low because chi-square tests reject too
#: often when a span has few errors.
ERROR_ALPHA = 0.01


class Change(NamedTuple):
    """Change between two parts of a sequence of spans.

    Attributes
    ----------
    begin, split, end, stop : int
        Spans from `split` to `end` are compared with the others from `begin` to `stop`.
    p : float
        The p-value of a stratified chi-square test, multiplied by the number of compared intervals.
    effect, low, high : float
        Total variation distance of both parts, with a 95 % confidence interval.
    half : float
        Half the width of this interval, before it was limited to distances from 0 to 1.
    noise : float
        Factor of the variances in the interval; see `dispersion`.
    psi : float
        Population stability index of both parts.
    before, after : ndarray
        Counts of both parts.
    rises : ndarray
        Change of the share of each bin.
    """

    begin: int
    split: int
    end: int
    stop: int
    p: float
    effect: float
    low: float
    high: float
    half: float
    noise: float
    psi: float
    before: Ints
    after: Ints
    rises: Floats


class Dispersion(NamedTuple):
    """Factor of the variance of counts, at least 1, and its degrees of freedom."""

    factor: float
    dof: float

    def p(self, stat: float, dof: int) -> float:
        """Return the p-value of a chi-square statistic, as of an F-test."""
        if not dof:
            return 1.0
        if np.isinf(self.dof):
            return float(chdtrc(dof, stat))
        return float(fdtrc(dof, self.dof, stat / dof / self.factor))


def largest_change(
    counts: Ints,
    first: int = 0,
    fewest: int = FEWEST,
    strata: Ints | None = None,
    noise: Dispersion | None = None,
) -> Change:
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
    strata : int array of shape (spans,), optional
        Spans are compared only with spans of the same stratum, such as the same weekday.
    noise : Dispersion, optional
        See `dispersion`, by which it is estimated by default.

    Examples
    --------
    >>> found = largest_change(np.array([[90, 10], [88, 12], [50, 50], [52, 48]]))
    >>> found.split, found.end, round(found.effect, 2)
    (2, 4, 0.38)
    """
    m = len(counts)
    strata = np.zeros(m, dtype=np.int64) if strata is None else strata
    begin, end = np.triu_indices(m + 1, k=1)
    # An interval that starts at the first span is the complement of another interval.
    begin, end = begin[begin > 0], end[begin > 0]
    if not len(begin):
        return _change(counts, strata, first, m, m, 1.0, noise or Dispersion(1.0, np.inf))
    tested = _tested(counts, fewest * m)
    noise = dispersion(tested, strata) if noise is None else noise
    stat, dof = statistics(tested, strata, begin, end)
    # Among equal statistics, the latest interval is chosen; it may extend to the end. In two cycles
    # of strata, an interval and that a cycle later are equal up to rounding.
    k = int(np.flatnonzero(stat >= stat.max() * (1 - 1e-9))[-1])
    p = min(1.0, noise.p(float(stat[k]), dof) * len(stat))
    return _change(counts, strata, first, int(begin[k]), int(end[k]), p, noise)


def changes_of(
    counts: Ints, alpha: float, least: float, fewest: int = FEWEST, strata: Ints | None = None
) -> list[Change]:
    """Return all changes in a sequence of spans, in order, by recursive division.

    Each change is tested between its neighboring changes: the newest change compares the last two
    parts.

    Parameters
    ----------
    counts : int array of shape (spans, bins)
        Number of rows of each bin in each span.
    alpha, least : float
        Significance level of the tests, and minimum effect of a change.
    fewest, strata : int, int array
        As in `largest_change`.
    """
    m = len(counts)
    strata = np.zeros(m, dtype=np.int64) if strata is None else strata
    noise = dispersion(_tested(counts, fewest * m), strata)

    def is_large(change: Change) -> bool:
        if change.p >= alpha or change.effect < least:
            return False
        two, own = _along(change, counts, strata)
        some = slice(change.begin, change.stop)
        at, to = np.array([change.split]), np.array([change.end])
        stat, dof = statistics(two[some], strata[some], at - change.begin, to - change.begin)
        return own.p(float(stat[0]), dof) * (change.stop - change.begin) < ALONG_ALPHA

    found: set[int] = set()
    rest = [(0, m)]
    while rest:
        begin, end = rest.pop()
        some = slice(begin, end)
        here = largest_change(counts[some], begin, fewest, strata[some], noise)
        if is_large(here):
            found |= {here.split, here.end} - {end}
            rest += [(begin, here.split), (here.split, here.end)]
            rest += [(here.end, end)] if here.end < end else []
    while True:
        marks = [0, *sorted(found), m]
        parts = [
            _between(counts, strata, *each, noise) for each in zip(marks, marks[1:], marks[2:])
        ]
        # Between its neighbors, a change may be smaller than where it was found.
        small = [each for each in parts if not is_large(each)]
        if not small:
            return [_widened(each, _along(each, counts, strata)[1]) for each in parts]
        found.remove(min(small, key=lambda each: each.effect).split)


def statistics(counts: Ints, strata: Ints, begin: Ints, end: Ints) -> tuple[Floats, int]:
    """Return stratified chi-square statistics of intervals, and their degrees of freedom.

    As in the Cochran-Mantel-Haenszel test, the counts of an interval are compared with those that
    are expected if it had the shares of its strata. With one stratum, this is Pearson's statistic
    of the interval against all other spans.

    Parameters
    ----------
    counts : int array of shape (spans, bins)
        Number of rows of each bin in each span.
    strata : int array of shape (spans,)
        The stratum of each span.
    begin, end : int arrays of shape (intervals,)
        First span and end span of each interval.
    """
    rows, there = by_stratum(counts, strata)
    n = counts.sum(axis=1)
    share = rows / np.maximum(rows.sum(axis=1, keepdims=True), 1)
    far = counts - n[:, None] * share[there]
    size = np.zeros((len(counts), len(rows)))
    size[np.arange(len(counts)), there] = n
    beyond, inside = (
        sums[end] - sums[begin]
        for sums in (np.concatenate([np.zeros((1, each.shape[1])), each.cumsum(axis=0)])
                     for each in (far, size))
    )  # fmt: skip
    common = inside * (1 - inside / np.maximum(size.sum(axis=0), 1))
    variance = common @ share
    # Where no stratum is on both sides, there is nothing to compare; sums of residuals are 0.
    is_compared = variance > 1e-9
    stat = np.where(is_compared, beyond**2 / np.where(is_compared, variance, 1), 0).sum(axis=1)
    return stat, max(int((counts.sum(axis=0) > 0).sum()) - 1, 0)


def dispersion(counts: Ints, strata: Ints) -> Dispersion:
    """Return by how much spans differ more than spans of independent rows.

    Neighboring spans are compared, after the shares of their strata were subtracted. The largest
    quarter of the differences is omitted, since it may contain changes.
    """
    n = counts.sum(axis=1)
    counts, strata, n = counts[n > 0], strata[n > 0], n[n > 0]
    rows, there = by_stratum(counts, strata)
    dof = int((rows.sum(axis=0) > 0).sum()) - 1
    m, n_strata = len(counts), len(rows)
    if m <= max(FEWEST_PAIRS, 1.5 * n_strata) or dof < 1:
        return Dispersion(1.0, np.inf)
    share = (rows / rows.sum(axis=1, keepdims=True))[there]
    far = np.diff(counts / n[:, None] - share, axis=0)
    p = (share[1:] + share[:-1]) / 2
    # Residuals are smaller than errors, since they were used to estimate the shares.
    scale = p * (1 / n[1:] + 1 / n[:-1])[:, None] * (1 - n_strata / m)
    stat = np.sort((far**2 / np.where(p > 0, scale, 1)).sum(axis=1))
    kept = stat[: -(-len(stat) * 3 // 4)]
    share_kept = len(kept) / len(stat)
    expected = dof * chdtr(dof + 2, chdtri(dof, 1 - share_kept)) / share_kept
    return Dispersion(max(1.0, float(kept.mean() / expected)), EFFICIENCY * dof * len(stat))


def difference(before: Ints, after: Ints, noise: float = 1.0) -> tuple[Floats, float, float]:
    """Return the change of the share of each bin, the total variation distance, and its error.

    Strata are compared separately; their differences are weighted as in the
    Cochran-Mantel-Haenszel test. If no stratum has rows on both sides, the sums are compared. The
    sampling variance of the shares is subtracted from their squared changes, since distances of
    small samples are otherwise too large.

    Parameters
    ----------
    before, after : int arrays of shape (strata, bins)
        The counts.
    noise : float
        Factor of the variances; see `dispersion`.

    Returns
    -------
    rises : ndarray of shape (bins,)
        Changes of the shares.
    effect, error : float
        Total variation distance and its standard error.
    """
    n, k = before.sum(axis=1), after.sum(axis=1)
    if not (n * k).any():
        before, after = before.sum(axis=0, keepdims=True), after.sum(axis=0, keepdims=True)
        n, k = before.sum(axis=1), after.sum(axis=1)
    there = (n > 0) & (k > 0)
    if not there.any():
        return np.zeros(before.shape[1]), 0.0, 0.0
    n, k = n[there, None], k[there, None]
    old, new, weight = before[there] / n, after[there] / k, n * k / (n + k)
    weight = weight / weight.sum()
    rises = (weight * (new - old)).sum(axis=0)
    variance = noise * (weight**2 * (old * (1 - old) / n + new * (1 - new) / k)).sum(axis=0)
    effect = float(np.sqrt(np.maximum(rises**2 - variance, 0)).sum() / 2)
    p, q = (each[:, rises > 0].sum(axis=1, keepdims=True) for each in (old, new))
    variances = (weight**2 * (p * (1 - p) / n + q * (1 - q) / k)).sum()
    error = np.sqrt(noise * max(variances, 0.0))  # shares may exceed 1 by rounding
    return rises, effect, float(error)


def stability_index(before: Ints, after: Ints) -> float:
    """Return the population stability index of two sets of counts.

    Half a row is added to each bin that is not empty in both sets, so that the index is finite.
    """
    there = (before + after) > 0
    if not before.sum() or not after.sum():
        return 0.0
    a, b = before[there] + 0.5, after[there] + 0.5
    a, b = a / a.sum(), b / b.sum()
    return float(((a - b) * np.log(a / b)).sum())


def _between(
    counts: Ints, strata: Ints, begin: int, split: int, end: int, noise: Dispersion
) -> Change:
    """Return the change at a span between two others."""
    counts, strata = counts[begin:end], strata[begin:end]
    at, to = np.array([split - begin]), np.array([end - begin])
    stat, dof = statistics(counts, strata, at, to)
    p = noise.p(float(stat[0]), dof)
    return _change(counts, strata, begin, split - begin, end - begin, p, noise)


def _change(
    counts: Ints, strata: Ints, first: int, split: int, end: int, p: float, noise: Dispersion
) -> Change:
    """Return the change between an interval of spans and all others."""
    rows, _ = by_stratum(counts, strata)
    inside, _ = by_stratum(counts[split:end], strata[split:end], strata)
    rises, effect, error = difference(rows - inside, inside, noise.factor)
    after = inside.sum(axis=0)
    before = rows.sum(axis=0) - after
    half = Z95 * error
    low, high = max(effect - half, 0.0), min(effect + half, 1.0)
    psi = stability_index(before, after)
    place = first, first + split, first + end, first + len(counts)
    return Change(*place, p, effect, low, high, half, noise.factor, psi, before, after, rises)


def _along(change: Change, counts: Ints, strata: Ints) -> tuple[Ints, Dispersion]:
    """Return the counts of the bins that became more and less frequent, and their dispersion.

    Spans often differ in one direction, such as the mean, by more than in all bins together.
    """
    up = change.rises > 0
    two = np.stack([counts[:, up].sum(axis=1), counts[:, ~up].sum(axis=1)], axis=1)
    return two, dispersion(two, strata)


def _widened(change: Change, noise: Dispersion) -> Change:
    """Return a change with the confidence interval for this dispersion."""
    half = change.half * float(np.sqrt(noise.factor / change.noise))
    low, high = max(change.effect - half, 0.0), min(change.effect + half, 1.0)
    return change._replace(low=low, high=high, half=half, noise=noise.factor)


def by_stratum(counts: Ints, strata: Ints, of: Ints | None = None) -> tuple[Ints, Ints]:
    """Return the counts of each stratum in `of`, and the position of the stratum of each span."""
    known = np.unique(strata if of is None else of)
    there = np.searchsorted(known, strata)
    rows = np.zeros((len(known), counts.shape[1]), dtype=np.int64)
    np.add.at(rows, there, counts)
    return rows, there


def _tested(counts: Ints, enough: int) -> Ints:
    """Return counts with rare bins merged, or omitted if their sum is also small.

    Otherwise, a single row of a rare bin in a short interval would appear significant.
    """
    total = counts.sum(axis=0)
    often = total >= enough
    frequent: Ints = counts[:, often]
    if total[~often].sum() < enough or often.all():
        return frequent
    return np.concatenate([frequent, counts[:, ~often].sum(axis=1, keepdims=True)], axis=1)


def error_changes(
    counts: Ints, starts: Ints, strata: Ints | None = None, segments: Ints | None = None
) -> list[dict[str, Any]]:
    """Return the changes of the error, oldest first.

    Spans are divided where the share of correct predictions changes, with the same chi-square tests
    as for features. Falls of the error before its first rise are the start of learning and are
    omitted. After a rise, the model has recovered in the first span whose error is less than three
    points above the error before the rise.

    Parameters
    ----------
    counts : int array of shape (spans, 2)
        Number of correct and of wrong predictions in each span.
    starts : int array of shape (spans,)
        Number of rows before each span.
    strata : int array of shape (spans,), optional
        As in `largest_change`.
    segments : int array of shape (spans, segments, 2), optional
        The counts by segments of the rows, such as rows with the same prediction.

    Returns
    -------
    list of dict
        ``span`` and ``after``, the number of spans and rows before the change; the error
        ``before`` and ``since``, if the later rows had the strata of the earlier rows; ``low`` and
        ``high``, the 95 % confidence interval of their difference; ``recovered``, the number of
        further rows until recovery, or None if the model has not recovered or the error fell; and
        ``cause``, if the error rose: "rule", if it also rose within the segments, otherwise "rows".
    """
    tested = counts.sum(axis=1)
    found: list[dict[str, Any]] = []
    parts = changes_of(counts, ERROR_ALPHA, LEAST_RISE, fewest=0, strata=strata)
    begins = [0, *(part.split for part in parts)]
    for begin, part in zip(begins, parts):
        rise = float(part.rises[1])
        if rise <= 0 and not found:
            continue
        before = float(part.before[1] / part.before.sum())
        recovered, cause = None, None
        if rise > 0:
            errors = metrics.ratio(counts[part.split :, 1], tested[part.split :])
            good = np.flatnonzero(errors < before + LEAST_RISE)
            recovered = (
                int(starts[part.split + good[0]] - starts[part.split]) if len(good) else None
            )
            if segments is not None:
                old = segments[begin : part.split].sum(axis=0)
                new = segments[part.split : part.end].sum(axis=0)
                within = float(difference(old, new)[0][1])
                cause = "rule" if within >= rise / 2 else "rows"
        found.append({
            "span": part.split, "after": int(starts[part.split]), "before": before,
            "since": min(max(before + rise, 0.0), 1.0), "low": rise - part.half,
            "high": rise + part.half, "recovered": recovered, "cause": cause,
        })  # fmt: skip
    return found


def target_changes(labels: Ints, starts: Ints, strata: Ints | None = None) -> list[dict[str, Any]]:
    """Return the changes of the shares of the classes, oldest first.

    Parameters
    ----------
    labels : int array of shape (spans, classes)
        Number of rows of each class in each span.
    starts, strata : int arrays of shape (spans,)
        As in `error_changes`.

    Returns
    -------
    list of dict
        ``span`` and ``after``, the number of spans and rows before the change; ``code``, the class
        whose share changed most; its share ``before`` and ``since``; and ``low`` and ``high``, the
        95 % confidence interval of their difference.
    """
    found = []
    for part in changes_of(labels, ERROR_ALPHA, LEAST_SHARE, strata=strata):
        k = int(abs(part.rises).argmax())
        before, rise = float(part.before[k] / part.before.sum()), float(part.rises[k])
        found.append({"span": part.split, "after": int(starts[part.split]), "code": k,
                      "before": before, "since": min(max(before + rise, 0.0), 1.0),
                      "low": rise - part.half, "high": rise + part.half})  # fmt: skip
    return found
