"""Results of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ensemble.history import WeightHistory as WeightHistory
from driftlearn.evaluate import _gather, metrics
from driftlearn.evaluate._drawable import Drawable
from driftlearn.evaluate._json import from_json, read_json, to_json, write_json
from driftlearn.utils.arguments import Floats, Ints, Labels, Values, choose
from driftlearn.utils.table import Table

TRANSFER = ("anytime_accuracy", "forgetting", "backward_transfer", "forward_transfer")


@dataclass(repr=False)
class Result(Drawable):
    """Scores of several learners on one stream, chunk by chunk.

    A result consists of arrays, numbers and strings, can be saved as JSON, and includes the
    settings that produced it.

    Attributes
    ----------
    names : list of str
        Names of the learners.
    classes : ndarray
        Labels, sorted.
    stream : str
        Name of the stream.
    drifts : list of int
        Rows at which a new concept starts.
    seed : int or None
        Seed of the stream.
    settings : dict
        Protocol and its parameters.
    params, versions : dict
        Parameters of each learner; versions of the libraries.
    data : dict of str to dict of str to ndarray
        Confusion matrices, times and sizes of each learner, one entry per chunk.
    histories : dict of str to WeightHistory
        Member weights of the learners that record them.
    concepts : list
        Concept in force at the end of each chunk; empty if unknown.
    memory : dict of str to int
        Bytes of each learner at the end.
    fitted : dict of str to estimator, or None
        Trained learners, if `keep_learners` was set. They are not saved.

    Examples
    --------
    >>> from driftlearn.evaluate import prequential
    >>> from sklearn.naive_bayes import GaussianNB
    >>> batch = [[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1]
    >>> result = prequential({"bayes": GaussianNB()}, [batch] * 3, classes=[0, 1])
    >>> result.scores("bayes", "kappa")
    array([nan,  1.,  1.])
    >>> result.confusion("bayes")
    array([[4, 0],
           [0, 4]])
    """

    names: list[str]
    classes: Labels
    stream: str
    drifts: list[int]
    seed: int | None
    settings: dict[str, Any]
    params: dict[str, dict[str, Any]]
    versions: dict[str, str]
    data: dict[str, dict[str, Values]]
    histories: dict[str, WeightHistory] = field(default_factory=dict)
    concepts: list[Any] = field(default_factory=list)
    memory: dict[str, int] = field(default_factory=dict)
    fitted: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.data = {name: _gather.completed(data) for name, data in self.data.items()}

    @classmethod
    def joined(cls, parts: Mapping[str, Result]) -> Result:
        """Combine results of single learners on the same stream, under new names.

        Examples
        --------
        >>> from driftlearn.evaluate import prequential
        >>> from sklearn.naive_bayes import GaussianNB
        >>> batch = [[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1]
        >>> one = prequential(GaussianNB(), [batch] * 2, classes=[0, 1])
        >>> Result.joined({"a": one, "b": one}).names
        ['a', 'b']
        """
        if not parts:
            raise ValueError("'parts' is empty: pass at least one result")
        first = next(iter(parts.values()))
        classes = first.classes
        for part in parts.values():
            if part._setting() != first._setting():
                raise ValueError(
                    "Only results with the same stream, seed and settings can be joined. Got "
                    f"{list(parts)}."
                )
            if not np.array_equal(part.classes, classes):
                classes = np.union1d(classes, part.classes)
        found: dict[str, Any] = {key: {} for key in ("params", "data", "histories", "memory")}
        for name, part in parts.items():
            (old,) = part.names
            data = dict(part.data[old])
            data["confusion"] = _gather.widened(data["confusion"], part.classes, classes)
            found["data"][name] = data
            for key in ("params", "histories", "memory"):
                if old in getattr(part, key):
                    found[key][name] = getattr(part, key)[old]
        return replace(first, names=list(parts), classes=classes, fitted=None, **found)

    def scores(self, learner: str, metric: str = "accuracy", window: int | None = 1) -> Floats:
        """Return the score of a learner after every chunk; nan if it was not tested.

        Parameters
        ----------
        learner : str
            Name of the learner.
        metric : str
            From predictions: ``"accuracy"``, ``"balanced_accuracy"``, ``"kappa"``,
            ``"kappa_m"``, ``"kappa_temporal"``, ``"g_mean"``, ``"precision"``, ``"recall"``,
            ``"f1"`` (mean over the classes). From probabilities: ``"auc"``, ``"log_loss"``,
            ``"brier"``, ``"ece"``. Cost: ``"fit_seconds"``, ``"predict_seconds"``,
            ``"rows_per_second"`` (trained rows per fit time), ``"ram_hours"``,
            ``"members"``, ``"nbytes"``. See the page *Metrics* for formulas.
        window : int or None
            Number of chunks per value: 1 for the chunk alone, n for the last n, None for all so
            far. Metrics of counts are exact; areas under the curve, times and sizes are averaged
            over the chunks, and RAM-hours are summed.
        """
        return _gather.scores(self._of(learner), metric, window)

    def per_class(self, learner: str, metric: str = "recall", window: int | None = 1) -> Floats:
        """Return precision, recall or F1 of each class, shape (chunks, classes)."""
        return _gather.per_class(self._of(learner), metric, window)

    def confusion(self, learner: str) -> Ints:
        """Return the confusion matrix over all chunks."""
        return self._of(learner)["confusion"].sum(axis=0)

    def rows(self, learner: str) -> Ints:
        """Return the row of the stream at which each chunk ends."""
        return self._of(learner)["stop"]

    def recovery(
        self, learner: str, window: int = metrics.RECOVERY_ROWS, kind: str | None = None
    ) -> float:
        """Return the mean accuracy over the first `window` rows after each known drift.

        nan for a result of `evaluate.concepts`, which has no tests in these rows.

        Parameters
        ----------
        learner : str
            Name of the learner.
        window : int
            Number of rows after a drift.
        kind : {"new", "returned"}, optional
            Include only drifts to new concepts, or only drifts to recurring ones.
        """
        data = self._of(learner)
        kinds = metrics.kinds_of_drifts(self.concepts, data["stop"], self.drifts)
        only = None if kind is None else choose("kind", kind, kinds)
        if "periods" in self.settings:
            return np.nan
        values = metrics.accuracy(data["confusion"])
        return metrics.recovery(values, data["start"], data["stop"], self.drifts, window, only)

    def concept_matrix(self, learner: str, metric: str = "accuracy") -> Floats:
        """Return the scores on each concept after each period, for a result of `evaluate.concepts`.

        Returns
        -------
        ndarray of shape (periods, concepts)
            Row i: trained up to the i-th drift, or the end; column j: tested on the j-th concept
            in order of appearance. ``settings["periods"]`` names the concept of each period.
        """
        if "periods" not in self.settings:
            raise ValueError(
                f"A result of protocol {self.settings.get('protocol')!r} has no concept matrix. "
                "Use driftlearn.evaluate.concepts, or --protocol concepts."
            )
        return self.scores(learner, metric).reshape(len(self.settings["periods"]), -1)

    def _transfer(self, learner: str) -> dict[str, float]:
        if "periods" not in self.settings:
            return dict.fromkeys(TRANSFER, np.nan)
        chance = 1 / len(self.classes)
        return metrics.transfer(self.concept_matrix(learner), self.settings["periods"], chance)

    def summary(self, learner: str, window: int = metrics.RECOVERY_ROWS) -> dict[str, float]:
        """Return one number per metric.

        `accuracy` and `std` are mean and standard deviation over the chunks, and `auc` is the mean;
        the other metrics are computed from all test rows together. `members` and `MB` are measured
        at the end. RAM-hours use the size at the end unless it was measured during the run.
        """
        data = self._of(learner)
        accuracy = self.scores(learner)
        seconds = float(data["fit_seconds"].sum() + data["predict_seconds"].sum())
        memory = self.memory.get(learner, np.nan)
        hours = self.total(learner, "ram_hours")
        return {
            "accuracy": float(metrics.mean(accuracy)),
            "std": float(metrics.std(accuracy)),
            **{metric: self.total(learner, metric) for metric in _gather.TOTALS},
            "recovery": self.recovery(learner, window),
            "recovery_new": self.recovery(learner, window, "new"),
            "recovery_returned": self.recovery(learner, window, "returned"),
            **self._transfer(learner),
            "seconds": seconds,
            "rows/s": self.total(learner, "rows_per_second"),
            "ram_hours": memory * seconds / _gather.GIGABYTE_HOURS if np.isnan(hours) else hours,
            "members": float(data["members"][-1]),
            "MB": memory / 1e6,
        }

    def total(self, learner: str, metric: str = "accuracy") -> float:
        """Return a metric over all chunks: the last value of ``scores(..., window=None)``."""
        return _gather.total(self._of(learner), metric)

    def records(self) -> Table:
        """Return the scores in long format: one row per chunk and learner."""
        columns: dict[str, list[Any]] = {}
        for name in self.names:
            data = self._of(name)
            n = len(data["start"])
            part: dict[str, Any] = {"learner": [name] * n, "chunk": range(n)}
            if self.concepts:
                part["concept"] = self.concepts
            part |= {key: data[key] for key in _gather.COUNTS}
            part["tested"] = data["confusion"].sum((1, 2))
            part |= {key: self.scores(name, key) for key in (*metrics.METRICS, *_gather.SPECIAL)}
            recalls = self.recalls(name)
            part |= {f"recall_{c}": recalls[:, k] for k, c in enumerate(self.classes.tolist())}
            part |= {key: data[key] for key in _gather.NUMBERS}
            for key, values in part.items():
                columns.setdefault(key, []).extend(values)
        return Table(columns)

    @property
    def title(self) -> str:
        """Protocol and stream in one line."""
        n_chunks = len(self.data[self.names[0]]["start"])
        return f"{self.settings.get('protocol')} on {self.stream}, {n_chunks} chunks"

    def _setting(self) -> tuple[Any, ...]:
        options = {key: value for key, value in self.settings.items() if key != "stream"}
        return self.stream, self.seed, options

    def _of(self, learner: str) -> dict[str, Values]:
        if learner not in self.data:
            raise KeyError(f"unknown learner {learner!r}: must be one of {self.names}")
        return self.data[learner]

    def save(self, path: str | Path) -> None:
        """Save the result as JSON, without the trained learners."""
        write_json(path, "driftlearn.result", to_json(self))

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Load a saved result."""
        return cls(**from_json(read_json(path, "driftlearn.result")))
