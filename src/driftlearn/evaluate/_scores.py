"""Metrics from the columns of a result: per chunk, over a window, or cumulative."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from driftlearn.evaluate import metrics
from driftlearn.utils.arguments import choose, invalid
from driftlearn.utils.typing import Floats, Values

Data = Mapping[str, Values]

GIGABYTE_HOURS = 2**30 * 3600  # byte-seconds in a RAM-hour
#: Values that are means over the test rows of each chunk.
MEANS = ("log_loss", "brier")
#: Values with one number per chunk, which are averaged over a window.
MOMENTS = ("auc", "fit_seconds", "predict_seconds", "members", "nbytes")


def scores(data: Data, metric: str, window: int | None = 1) -> Floats:
    """Return a metric after every chunk, over the last `window` chunks; None for all so far."""
    if window is not None and not (isinstance(window, int | np.integer) and window >= 1):
        raise invalid("window", "an int in the range [1, inf) or None", window)
    if metric in metrics.METRICS:
        return metrics.METRICS[metric](_summed(data["confusion"], window))
    if metric in MOMENTS:
        return data[metric] if window == 1 else _mean(data[metric], window)
    if metric not in SPECIAL:
        choose("metric", metric, dict.fromkeys([*metrics.METRICS, *SPECIAL, *MOMENTS]))
    return SPECIAL[metric](data, window)


def total(data: Data, metric: str) -> float:
    """Return a metric over all chunks."""
    if metric in metrics.METRICS:
        return float(metrics.METRICS[metric](data["confusion"].sum(axis=0)))
    return float(scores(data, metric, None)[-1])


def per_class(data: Data, metric: str, window: int | None = 1) -> Floats:
    """Return a metric of each class after every chunk, shape (chunks, classes)."""
    return choose("per-class metric", metric, metrics.PER_CLASS)(_summed(data["confusion"], window))


def _summed(values: Any, window: int | None) -> Any:
    """Return sums over the last `window` entries of the first axis; None for all so far."""
    if window == 1:
        return values
    total = np.cumsum(values, axis=0)
    if window is not None and window < len(total):
        total[window:] = total[window:] - total[:-window]
    return total


def _mean(values: Floats, window: int | None, weight: Any = 1.0) -> Floats:
    """Return weighted means of the values that are not nan."""
    weight = weight * ~np.isnan(values)
    return metrics.ratio(_summed(weight * np.nan_to_num(values), window), _summed(weight, window))


def _row_mean(metric: str, data: Data, window: int | None) -> Floats:
    tested = data["confusion"].sum((1, 2))
    return data[metric] if window == 1 else _mean(data[metric], window, tested)


def _kappa_temporal(data: Data, window: int | None) -> Floats:
    """Return kappa-temporal over the chunks for which `unchanged` is known."""
    known = ~np.isnan(data["unchanged"])
    counts = data["confusion"] * known[:, None, None]
    return metrics.kappa_temporal(
        _summed(counts, window), _summed(np.nan_to_num(data["unchanged"]), window)
    )


def _ece(data: Data, window: int | None) -> Floats:
    return metrics.calibration_error(_summed(data["calibration"], window))


def _rows_per_second(data: Data, window: int | None) -> Floats:
    return metrics.ratio(_summed(data["trained"], window), _summed(data["fit_seconds"], window))


def _ram_hours(data: Data, window: int | None) -> Floats:
    """Return gigabytes times hours, with the size of the last measurement."""
    size = data["nbytes"]
    last = np.maximum.accumulate(np.where(np.isnan(size), 0, np.arange(len(size))))
    seconds = data["fit_seconds"] + data["predict_seconds"]
    return _summed(size[last] * seconds / GIGABYTE_HOURS, window)


#: Metrics that cannot be computed from a confusion matrix alone.
SPECIAL: dict[str, Callable[[Data, int | None], Floats]] = {
    "kappa_temporal": _kappa_temporal,
    **{metric: partial(_row_mean, metric) for metric in MEANS},
    "ece": _ece,
    "rows_per_second": _rows_per_second,
    "ram_hours": _ram_hours,
}

#: Metrics that a summary reports over all chunks.
TOTALS = (
    "balanced_accuracy", "kappa", "kappa_m", "kappa_temporal", "g_mean", "precision", "recall",
    "f1", "auc", "log_loss", "brier", "ece",
)  # fmt: skip
