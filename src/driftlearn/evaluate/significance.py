"""Significance tests over chunks and over data sets."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import stats

from driftlearn.utils.arguments import Floats, choose
from driftlearn.utils.table import Table


def rank_sum(a: Any, b: Any, alpha: float = 0.05) -> Literal["win", "tie", "loss"]:
    """Compare two samples of scores by Wilcoxon's rank-sum test.

    The samples, for example the accuracies of two learners on the chunks of a stream, are treated
    as unpaired, as is usual in the literature on chunk ensembles.

    Parameters
    ----------
    a, b : array-like of shape (chunks,) or (repetitions, chunks)
        The scores; nan is ignored. With repetitions, each is tested on its own chunks, and the
        median of the verdicts is returned (a tie if they are divided equally). Identical
        repetitions count once.
    alpha : float
        Significance level of the two-sided test.

    Returns
    -------
    {"win", "tie", "loss"}
        Whether `a` is significantly better than `b` (larger is better), not different, or worse.

    Examples
    --------
    >>> rank_sum([0.91, 0.92, 0.93, 0.94], [0.71, 0.72, 0.73, 0.74])
    'win'
    >>> rank_sum([0.91, 0.92, 0.93, 0.94], [0.90, 0.92, 0.93, 0.95])
    'tie'
    """
    a, b = np.atleast_2d(np.asarray(a, dtype=float)), np.atleast_2d(np.asarray(b, dtype=float))
    if len(a) != len(b):
        raise ValueError(f"scores have different numbers of repetitions: {len(a)} and {len(b)}")
    runs = {(x.tobytes(), y.tobytes()): (x, y) for x, y in zip(a, b)}
    middle = np.median([_sign(x[~np.isnan(x)], y[~np.isnan(y)], alpha) for x, y in runs.values()])
    return "win" if middle == 1 else "loss" if middle == -1 else "tie"


def _sign(a: Floats, b: Floats, alpha: float) -> int:
    """Return 1 if `a` is better by the rank-sum test, -1 if it is worse, else 0."""
    if not len(a) or not len(b):
        raise ValueError("rank_sum requires at least one score on each side")
    if len(np.unique(np.concatenate([a, b]))) == 1:
        return 0
    u, p = stats.mannwhitneyu(a, b, alternative="two-sided")
    if p >= alpha:
        return 0
    return 1 if u > len(a) * len(b) / 2 else -1


def win_tie_loss(
    results: Any, reference: str, metric: str = "accuracy", alpha: float = 0.05
) -> Table:
    """Count a learner's wins, ties and losses over streams against each other learner.

    Parameters
    ----------
    results : Result, or sequence or mapping of them
        One result per stream, or mappings from learner to scores over chunks. For a stream with
        several seeds the verdict is the median over seeds, as in `rank_sum`.
    reference : str
        Learner whose wins are counted.
    metric : str
        Score to compare.
    alpha : float
        Significance level of the rank-sum test of each stream.

    Returns
    -------
    Table
        One row per other learner with the wins, ties and losses of the reference.

    Examples
    --------
    >>> runs = [{"dtel": [0.9, 0.91, 0.92, 0.93], "sea": [0.7, 0.71, 0.72, 0.73]}]
    >>> win_tie_loss(runs, "dtel")
    against  win  tie  loss
    sea        1    0     0
    """
    streams = [_scores(result, metric) for result in _listed(results)]
    counts: dict[str, dict[str, int]] = {}
    for scores in streams:
        choose("reference", reference, scores)
        for name in scores:
            if name != reference:
                count = counts.setdefault(name, {"win": 0, "tie": 0, "loss": 0})
                count[rank_sum(scores[reference], scores[name], alpha)] += 1
    return Table(
        {"against": list(counts)}
        | {word: [count[word] for count in counts.values()] for word in ("win", "tie", "loss")}
    )


def _listed(results: Any) -> Iterable[Any]:
    """Return the results of the streams; a single result becomes a list of one."""
    if hasattr(results, "scores"):
        return [results]
    if isinstance(results, Mapping):
        values = list(results.values())
        one_stream = bool(values) and not any(
            isinstance(value, Mapping) or hasattr(value, "scores") for value in values
        )
        return [results] if one_stream else values
    return list(results)


def _scores(result: Any, metric: str) -> Mapping[str, Any]:
    if isinstance(result, Mapping):
        return result
    return {name: result.scores(name, metric) for name in result.names}


def _matrix(table: Table | Mapping[str, Any]) -> tuple[list[str], Floats]:
    """Return the learners and their scores, one row per data set; string columns are ignored."""
    names = [str(name) for name in (table.columns if isinstance(table, Table) else table)]
    columns = {name: np.asarray(table[name]) for name in names}
    wrong = "table must have a score for each learner and data set, but"
    if len({len(column) for column in columns.values()}) > 1:
        raise ValueError(f"{wrong} lengths differ")
    names = [name for name in names if columns[name].dtype.kind in "iuf"]
    scores = np.column_stack([columns[name] for name in names]) if names else np.empty((0, 0))
    if scores.shape[1] < 2 or not len(scores):
        raise ValueError(f"table must have at least two learners and one data set. Got {names}.")
    if np.isnan(scores).any():
        raise ValueError(f"{wrong} some are nan")
    return names, scores


def average_ranks(table: Table | Mapping[str, Any]) -> dict[str, float]:
    """Return the mean rank of each learner over data sets; 1 is the best, ties share ranks.

    Parameters
    ----------
    table : Table or mapping of str to sequence
        Scores of each learner on every data set; larger is better.

    Returns
    -------
    dict of str to float
        Mean rank by learner, in the order of the columns.

    Examples
    --------
    >>> average_ranks({"dtel": [0.94, 0.90], "sea": [0.86, 0.90], "tix": [0.88, 0.80]})
    {'dtel': 1.25, 'sea': 2.25, 'tix': 2.5}
    """
    names, scores = _matrix(table)
    return dict(zip(names, stats.rankdata(-scores, axis=1).mean(axis=0).tolist()))


class Friedman(NamedTuple):
    """Statistic and p-value of Friedman's test."""

    chi2: float
    p: float


def friedman(table: Table | Mapping[str, Any]) -> Friedman:
    """Test whether learners differ over several data sets: Friedman's test, with ties.

    Parameters
    ----------
    table : Table or mapping of str to sequence
        As for `average_ranks`; at least three learners.

    Returns
    -------
    Friedman
        ``chi2`` and ``p``.

    Examples
    --------
    >>> scores = {"a": [3, 3, 3, 3], "b": [2, 2, 2, 2], "c": [1, 1, 1, 1]}
    >>> test = friedman(scores)
    >>> test.chi2, round(test.p, 4)
    (8.0, 0.0183)
    """
    names, scores = _matrix(table)
    if len(names) < 3:
        raise ValueError(f"friedman requires at least three learners. Got {names}.")
    if (scores == scores[:, :1]).all():
        return Friedman(0.0, 1.0)
    chi2, p = stats.friedmanchisquare(*scores.T)
    return Friedman(float(chi2), float(p))


class ImanDavenport(NamedTuple):
    """Statistic and p-value of Iman and Davenport's test."""

    f: float
    p: float


def iman_davenport(table: Table | Mapping[str, Any]) -> ImanDavenport:
    """Test whether learners differ; less conservative than Friedman's test.

    Friedman's statistic is transformed to one that follows the F distribution. If all data sets
    rank the learners equally, ``f`` is infinite and ``p`` is 0.

    Parameters
    ----------
    table : Table or mapping of str to sequence
        As for `friedman`.

    Returns
    -------
    ImanDavenport
        ``f`` and ``p``.

    References
    ----------
    R. L. Iman and J. M. Davenport, "Approximations of the critical region of the Friedman
    statistic", Communications in Statistics, 1980.

    Examples
    --------
    >>> scores = {"a": [3, 3, 3, 2], "b": [2, 2, 2, 3], "c": [1, 1, 1, 1]}
    >>> test = iman_davenport(scores)
    >>> round(test.f, 3), round(test.p, 4)
    (13.0, 0.0066)
    """
    chi2 = friedman(table).chi2
    n, k = _matrix(table)[1].shape
    if n < 2:
        raise ValueError("iman_davenport requires at least two data sets. Got one.")
    left = n * (k - 1) - chi2
    if left <= 0:  # all data sets rank the learners equally
        return ImanDavenport(float("inf"), 0.0)
    f = (n - 1) * chi2 / left
    return ImanDavenport(float(f), float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))))


def signed_ranks(table: Table | Mapping[str, Any], reference: str, alpha: float = 0.05) -> Table:
    """Compare one learner with each of the others by Wilcoxon's signed-rank test over data sets.

    The p-values are corrected for multiple comparisons by Holm's step-down procedure: those below
    `alpha` count as differences, with a probability of at most `alpha` that any of them is false.

    Parameters
    ----------
    table : Table or mapping of str to sequence
        As for `average_ranks`.
    reference : str
        Learner that is compared with the others.
    alpha : float
        Family-wise significance level.

    Returns
    -------
    Table
        One row per other learner: median lead of the reference, p-value (zero differences are split
        between both signs), p-value after Holm's correction, and verdict.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> scores = {"a": [5, 6, 7, 8, 9, 10], "b": [1, 2, 3, 4, 5, 6], "c": [5, 6, 7, 8, 9, 10]}
    >>> signed_ranks(scores, "a")
    against  lead      p   holm  verdict
    b           4  0.031  0.062  tie
    c           0  1.000  1.000  tie
    """
    names, scores = _matrix(table)
    choose("reference", reference, dict.fromkeys(names))
    others = [name for name in names if name != reference]
    own = scores[:, names.index(reference)]
    gaps = [own - scores[:, names.index(name)] for name in others]
    p = np.array(
        [stats.wilcoxon(gap, zero_method="zsplit").pvalue if gap.any() else 1.0 for gap in gaps]
    )
    corrected = holm(p)
    lead = np.median(gaps, axis=1)
    words = np.where(corrected >= alpha, "tie", np.where(lead > 0, "win", "loss"))
    return Table({"against": others, "lead": lead, "p": p, "holm": corrected, "verdict": words})


def holm(p: Any) -> Floats:
    """Return p-values corrected for multiple comparisons by Holm's step-down procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return corrected


def nemenyi(k: int, n: int, alpha: float = 0.05) -> float:
    """Return the critical difference of mean ranks of `k` learners over `n` data sets.

    Two learners whose mean ranks differ by less are not significantly different.

    References
    ----------
    Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> round(nemenyi(5, 19), 3)
    1.399
    """
    if k < 2 or n < 1:
        raise ValueError(
            f"nemenyi requires k >= 2 learners and n >= 1 data sets. Got k={k} and n={n}."
        )
    q = stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(k * (k + 1) / (6 * n)))
