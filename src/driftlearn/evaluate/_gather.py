"""Fields of a result from the records of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from driftlearn.ensemble.history import WeightHistory
from driftlearn.evaluate._concept_rounds import named_concept, periods
from driftlearn.evaluate._memory import nbytes
from driftlearn.evaluate._probability_metrics import BINS
from driftlearn.evaluate._run import Run, Step
from driftlearn.utils.show_versions import versions
from driftlearn.utils.typing import Ints, Labels, Values

COUNTS = ("start", "stop", "trained")
NUMBERS = (
    "log_loss", "fit_seconds", "predict_seconds", "members", "nbytes", "unchanged", "brier", "auc",
)  # fmt: skip


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
    """Return count matrices with a row and a column for each of the new classes."""
    wide = np.zeros((*confusion.shape[:-2], len(new), len(new)), dtype=int)
    place = np.searchsorted(new, old)
    wide[..., place[:, None], place] = confusion
    return wide


def _params(learner: Any) -> dict[str, Any]:
    """Return the parameters of a learner; values that are not plain become text."""
    params = learner.get_params(deep=False) if hasattr(learner, "get_params") else {}
    plain = (bool, int, float, str, type(None))
    params = {key: v if isinstance(v, plain) else repr(v) for key, v in params.items()}
    return {"class": type(learner).__name__, **params}
