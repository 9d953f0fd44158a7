"""Fields of a result from the records of a run, and metrics from its columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from driftlearn.ensemble.history import WeightHistory
from driftlearn.evaluate import metrics
from driftlearn.evaluate._memory import nbytes
from driftlearn.evaluate._probability_metrics import BINS
from driftlearn.evaluate._rounds import named_concept, periods
from driftlearn.evaluate._run import Run, Step
from driftlearn.utils.arguments import Floats, Ints, Labels, Values, choose, invalid
from driftlearn.utils.show_versions import versions

COUNTS = ("start", "stop", "trained")
NUMBERS = (
    "log_loss", "fit_seconds", "predict_seconds", "members", "nbytes", "unchanged", "brier", "auc",
)  # fmt: skip
Data = Mapping[str, Values]

GIGABYTE_HOURS = 2**30 * 3600  # byte-seconds in a RAM-hour
#: Values that are means over the test rows of each chunk.
MEANS = ("log_loss", "brier")
#: Values with one number per chunk, which are averaged over a window.
MOMENTS = ("auc", "fit_seconds", "predict_seconds", "members", "nbytes")


def gather(run: Run, stream: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the `Result` of a run."""
    settings = {key: value for key, value in settings.items() if value is not None}
    if settings.get("chunk_size") is None:
        settings["chunk_size"] = settings.get("every") or getattr(stream, "chunk_size", None)
    if callable(settings.get("delay")):
        settings["delay"] = "a function of the row"
    if settings.get("protocol") == "concepts":
        settings["periods"] = [period.concept for period in periods(stream)]
    if hasattr(stream, "chunks"):
        settings["stream"] = repr(stream)
    seed = getattr(stream, "random_state", None)
    learners = run.learners.items()
    first = next(iter(run.learners))
    return {
        "names": list(run.learners),
        "classes": run.classes,
        "stream": str(getattr(stream, "name", type(stream).__name__)),
        "drifts": [int(drift) for drift in getattr(stream, "drifts", None) or ()],
        "concepts": [
            named_concept(stream.concept_at(step.stop - 1))
            for step in (run.records if hasattr(stream, "concept_at") else ())
            if step.learner == first
        ],
        "seed": int(seed) if isinstance(seed, (int, np.integer)) else None,
        "settings": settings,
        "params": {name: _params(learner) for name, learner in learners},
        "versions": versions(),
        "data": {
            name: columns([step for step in run.records if step.learner == name], run.classes)
            for name in run.learners
        },
        "histories": {
            name: _history(run, name)
            for name, learner in learners
            if getattr(learner, "history_", None) is not None and len(learner.history_.steps)
        },
        "memory": {name: nbytes(learner) for name, learner in learners},
    }


def _history(run: Run, name: str) -> WeightHistory:
    """Return the member weights of a learner, with the log of its members."""
    history = run.learners[name].history_
    found = WeightHistory.of(history.steps, history.members, history.weights)
    log = run.member_logs.get(name)
    return found if log is None else replace(found, notes=log.notes(found.ids))


def columns(steps: Sequence[Step], classes: Labels) -> dict[str, Values]:
    """Return the records of a learner as columns, with matrices over all classes."""
    data = {"confusion": np.stack([widened(s.confusion, s.classes, classes) for s in steps])}
    data["calibration"] = np.stack([step.calibration for step in steps])
    data |= {key: np.array([getattr(step, key) for step in steps]) for key in COUNTS}
    data |= {key: np.array([getattr(s, key) for s in steps], dtype=float) for key in NUMBERS}
    return data


def completed(data: dict[str, Values]) -> dict[str, Values]:
    """Return the columns of a result of any version; missing ones are filled with nan."""
    if "learnt" in data:  # name of this column in version 0.1.0
        data = {"trained" if key == "learnt" else key: values for key, values in data.items()}
    n = len(data["start"])
    missing = {key: np.full(n, np.nan) for key in ("unchanged", "brier", "auc")}
    return {"calibration": np.zeros((n, 3, BINS)), **missing, **data}


def widened(confusion: Ints, old: Labels, new: Labels) -> Ints:
    """Return count matrices with a row and a column added for each new class."""
    wide = np.zeros((*confusion.shape[:-2], len(new), len(new)), dtype=int)
    place = np.searchsorted(new, old)
    wide[..., place[:, None], place] = confusion
    return wide


def _params(learner: Any) -> dict[str, Any]:
    """Return the parameters of a learner; values that are not plain become strings."""
    params = learner.get_params(deep=False) if hasattr(learner, "get_params") else {}
    plain = (bool, int, float, str, type(None))
    params = {key: v if isinstance(v, plain) else repr(v) for key, v in params.items()}
    return {"class": type(learner).__name__, **params}


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
    """Return kappa-temporal of the chunks whose number of unchanged labels is known."""
    known = ~np.isnan(data["unchanged"])
    counts = data["confusion"] * known[:, None, None]
    unchanged = _summed(np.nan_to_num(data["unchanged"]), window)
    return metrics.kappa_temporal(_summed(counts, window), unchanged)


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
    "ece": lambda data, window: metrics.calibration_error(_summed(data["calibration"], window)),
    "rows_per_second": _rows_per_second,
    "ram_hours": _ram_hours,
}

#: Metrics that a summary reports over all chunks.
TOTALS = (
    "balanced_accuracy", "kappa", "kappa_m", "kappa_temporal", "g_mean", "precision", "recall",
    "f1", "auc", "log_loss", "brier", "ece",
)  # fmt: skip
