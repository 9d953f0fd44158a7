"""Paired comparison of two models that predicted the same files."""

from typing import Any

import numpy as np
from scipy.stats import t as student

from driftlearn.ops.checkpoint.file_record import SUMS

#: Sums of a file whose ratio is a metric; see `SUMS`.
RATIOS = {
    "accuracy": ("correct", "rows"),
    "auc": ("auc", "auc rows"),
    "log loss": ("log loss", "rows"),
}
SIGNS = {"accuracy": 1, "log loss": -1}  # metrics that decide; -1 if less is better
LEAST_FILES = 5  # below, an interval would have hardly any degree of freedom
N_SAMPLES = 2_000


def compare_scores(first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """Return the metrics of two models, and their differences with intervals.

    Parameters
    ----------
    first, second : ndarray of shape (files, 8)
        Scores of both models on the same rows of the same files, in order; see `SUMS`.

    Returns
    -------
    dict
        ``files`` and ``rows``, and for accuracy, AUC and log loss the values of the ``first`` and
        the ``second`` model, their ``difference`` (second minus first) and its 95 % ``interval``;
        None where they are not defined.
    """
    of_first, of_second = dict(zip(SUMS, first.T)), dict(zip(SUMS, second.T))
    found: dict[str, Any] = {"files": len(first), "rows": int(of_first["rows"].sum())}
    for metric, (part, whole) in RATIOS.items():
        n = of_first[whole]
        if not n.sum():
            found[metric] = dict.fromkeys(("first", "second", "difference", "interval"))
            continue
        values = [float(of[part].sum() / n.sum()) for of in (of_first, of_second)]
        interval = interval_of(of_second[part] - of_first[part], n)
        found[metric] = {"first": values[0], "second": values[1],
                         "difference": values[1] - values[0], "interval": interval}  # fmt: skip
    return found


def interval_of(differences: np.ndarray, weights: np.ndarray) -> list[float] | None:
    """Return a 95 % confidence interval of ``differences.sum() / weights.sum()``.

    The circular block bootstrap resamples blocks of n ** (1/3) consecutive files, because
    neighboring files are alike (Politis and Romano, 1992). Its standard error is multiplied by a
    quantile of Student's t with n / block - 1 degrees of freedom: percentiles of the bootstrap
    contained the true difference in 78 % of 300 simulated series of 6 independent files, and in
    89 % of those of 20 files; this interval does so in 99 % and 97 %.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> low, high = interval_of(rng.normal(5, 10, 30), np.full(30, 100))
    >>> low < 0.05 < high
    True
    """
    n = len(differences)
    if n < LEAST_FILES:
        return None
    block = max(1, round(n ** (1 / 3)))
    starts = np.random.default_rng(0).integers(0, n, (N_SAMPLES, -(-n // block)))
    files = (starts[:, :, None] + np.arange(block)).reshape(N_SAMPLES, -1)[:, :n] % n
    sums = weights[files].sum(axis=1)
    found = differences[files].sum(axis=1)[sums > 0] / sums[sums > 0]
    error = found.std(ddof=1) * np.sqrt(n / (n - 1) / (1 - block / n))
    half = float(student.ppf(0.975, max(n / block - 1, 1.0)) * error)
    center = float(differences.sum() / weights.sum())
    return [center - half, center + half]


def is_better(found: dict[str, Any]) -> bool:
    """Return whether the second model is significantly better in one metric and worse in none."""
    signs = [_sign(found, metric) for metric in SIGNS]
    return max(signs) > 0 and min(signs) >= 0


def _sign(found: dict[str, Any], metric: str) -> int:
    """Return 1 if the second model is significantly better in a metric, -1 if it is worse."""
    interval = found[metric]["interval"]
    low, high = sorted(SIGNS[metric] * end for end in interval or (0.0, 0.0))
    return int(low > 0) - int(high < 0)


def verdict(found: dict[str, Any], first: str, second: str) -> str:
    """Return which model is better by accuracy and by log loss, or that neither is."""
    if found["files"] < LEAST_FILES:
        return f"at least {LEAST_FILES} files are needed to compare the models"
    better: dict[str, list[str]] = {}
    for metric in SIGNS:
        name = {0: "neither model", 1: second, -1: first}[_sign(found, metric)]
        better.setdefault(name, []).append(metric)
    return "; ".join(
        f"{name} is significantly better in {' and '.join(metrics)}"
        for name, metrics in better.items()
    )


def comparison_table(found: dict[str, Any], first: str, second: str) -> str:
    """Return the comparison as text."""
    from driftlearn.utils.table import Table

    columns: dict[str, list[str]] = {"": [first, second, "difference", "95 % interval"]}
    for metric in RATIOS:
        each = found[metric]
        cells = [
            "n/a" if each[name] is None else f"{each[name]:.4f}" for name in ("first", "second")
        ]
        cells.append("n/a" if each["difference"] is None else f"{each['difference']:+.4f}")
        interval = each["interval"]
        cells.append("n/a" if interval is None else f"{interval[0]:+.4f} to {interval[1]:+.4f}")
        columns["AUC" if metric == "auc" else metric] = cells
    return Table(columns).text()
