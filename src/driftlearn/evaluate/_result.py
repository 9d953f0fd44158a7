"""What an evaluation found out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn._table import Table
from driftlearn._types import Floats, Ints, Labels, Values
from driftlearn.base.history import WeightHistory
from driftlearn.evaluate import metrics
from driftlearn.evaluate._drawable import Drawable
from driftlearn.evaluate._gather import COUNTS, NUMBERS, gather, widened
from driftlearn.evaluate._json import from_json, read_json, to_json, write_json
from driftlearn.evaluate._run import Run

BEST_IS_MOST = {"accuracy", "balanced_accuracy", "kappa", "g_mean", "recovery", "rows/s"}
BEST_IS_LEAST = {"log_loss", "seconds"}


@dataclass(repr=False)
class Result(Drawable):
    """The scores of several learners on one stream, chunk by chunk.

    A result is plain arrays, numbers and strings, can be saved as JSON and remembers what made it.

    Attributes
    ----------
    names : list of str
        The learners.
    classes : ndarray
        All labels, sorted.
    stream : str
        The name of the stream.
    drifts : list of int
        The rows at which a new concept starts.
    seed : int or None
        The seed of the stream.
    settings : dict
        The protocol and its parameters.
    params, versions : dict
        The parameters of each learner; the versions of the libraries.
    data : dict of str to dict of str to ndarray
        For each learner its confusion matrices, times and sizes, an entry a chunk.
    histories : dict of str to WeightHistory
        The member weights of the learners that keep them.
    memory : dict of str to int
        The bytes of each learner at the end.
    fitted : dict of str to estimator, or None
        The trained learners, where they were asked for. They are not saved.

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
    memory: dict[str, int] = field(default_factory=dict)
    fitted: dict[str, Any] | None = None

    @classmethod
    def of(
        cls, run: Run, stream: Any, settings: Mapping[str, Any], keep_learners: bool = False
    ) -> Result:
        """Put together what a run over a stream recorded."""
        return cls(**gather(run, stream, settings), fitted=run.learners if keep_learners else None)

    @classmethod
    def joined(cls, parts: Mapping[str, Result]) -> Result:
        """Put together results of one learner each, on the same stream, under new names.

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
            raise ValueError("there is no result to join")
        first = next(iter(parts.values()))
        classes = first.classes
        for part in parts.values():
            if part._setting() != first._setting():
                raise ValueError(
                    f"results of different evaluations cannot be joined: {list(parts)}"
                )
            if not np.array_equal(part.classes, classes):
                classes = np.union1d(classes, part.classes)
        found: dict[str, Any] = {key: {} for key in ("params", "data", "histories", "memory")}
        for name, part in parts.items():
            (old,) = part.names
            data = dict(part.data[old])
            data["confusion"] = widened(data["confusion"], part.classes, classes)
            found["data"][name] = data
            for key in ("params", "histories", "memory"):
                if old in getattr(part, key):
                    found[key][name] = getattr(part, key)[old]
        return replace(first, names=list(parts), classes=classes, fitted=None, **found)

    def scores(self, learner: str, metric: str = "accuracy") -> Floats:
        """Return a learner's score on every chunk; nan where it was not tested.

        Parameters
        ----------
        learner : str
            Its name.
        metric : str
            ``"accuracy"``, ``"balanced_accuracy"``, ``"kappa"``, ``"g_mean"``, ``"log_loss"``,
            ``"fit_seconds"``, ``"predict_seconds"``, ``"rows_per_second"`` (learnt, by the time
            of learning), ``"members"`` or ``"nbytes"``.
        """
        data = self._of(learner)
        if metric in metrics.METRICS:
            return metrics.METRICS[metric](data["confusion"])
        if metric == "rows_per_second":
            return metrics.ratio(data["learnt"], data["fit_seconds"])
        if metric in NUMBERS:
            return data[metric]
        known = [*metrics.METRICS, "rows_per_second", *NUMBERS]
        raise ValueError(f"no metric {metric!r}; there are {', '.join(known)}")

    def recalls(self, learner: str) -> Floats:
        """Return the recall of every class on every chunk, shape (chunks, classes)."""
        return metrics.recall(self._of(learner)["confusion"])

    def confusion(self, learner: str) -> Ints:
        """Return the confusion matrix over all chunks."""
        total: Ints = self._of(learner)["confusion"].sum(axis=0)
        return total

    def rows(self, learner: str) -> Ints:
        """Return the row of the stream at which each chunk ends."""
        return self._of(learner)["stop"]

    def recovery(self, learner: str, window: int = metrics.RECOVERY_ROWS) -> float:
        """Return the mean accuracy over the first `window` rows after each known drift."""
        data = self._of(learner)
        values = metrics.accuracy(data["confusion"])
        return metrics.recovery(values, data["start"], data["stop"], self.drifts, window)

    def summary(self, learner: str, window: int = metrics.RECOVERY_ROWS) -> dict[str, float]:
        """Return one number a metric.

        `accuracy` and `std` are mean and standard deviation over the chunks; the other metrics
        come from the counts over all chunks. `members` and `MB` are those at the end.
        """
        data, total = self._of(learner), self.confusion(learner)
        accuracy = self.scores(learner)
        tested = data["confusion"].sum((1, 2)) * ~np.isnan(data["log_loss"])
        loss = (tested * np.nan_to_num(data["log_loss"])).sum()
        fit = data["fit_seconds"].sum()
        return {
            "accuracy": float(metrics.mean(accuracy)),
            "std": float(metrics.std(accuracy)),
            "balanced_accuracy": float(metrics.balanced_accuracy(total)),
            "kappa": float(metrics.kappa(total)),
            "g_mean": float(metrics.g_mean(total)),
            "log_loss": float(metrics.ratio(loss, tested.sum())),
            "recovery": self.recovery(learner, window),
            "seconds": float(fit + data["predict_seconds"].sum()),
            "rows/s": float(metrics.ratio(data["learnt"].sum(), fit)),
            "members": float(data["members"][-1]),
            "MB": self.memory.get(learner, np.nan) / 1e6,
        }

    def table(self, window: int = metrics.RECOVERY_ROWS) -> Table:
        """Return the `summary` of every learner, the best of each metric marked.

        Parameters
        ----------
        window : int
            How many rows after a drift count for the recovery.
        """
        return summary_table({name: self.summary(name, window) for name in self.names})

    def records(self) -> Table:
        """Return the scores in long format: a row for each chunk and learner."""
        columns: dict[str, list[Any]] = {}
        for name in self.names:
            data = self._of(name)
            n = len(data["start"])
            part: dict[str, Any] = {"learner": [name] * n, "chunk": range(n)}
            part |= {key: data[key] for key in COUNTS}
            part["tested"] = data["confusion"].sum((1, 2))
            part |= {metric: self.scores(name, metric) for metric in metrics.METRICS}
            recalls = self.recalls(name)
            part |= {f"recall_{c}": recalls[:, k] for k, c in enumerate(self.classes.tolist())}
            part |= {key: data[key] for key in NUMBERS}
            for key, values in part.items():
                columns.setdefault(key, []).extend(values)
        return Table(columns)

    def to_frame(self) -> Any:
        """Return `records` as a pandas data frame."""
        return self.records().to_frame()

    def __repr__(self) -> str:
        title = f"{self.settings.get('protocol')} on {self.stream}, {self._chunks()} chunks"
        return f"{title}\n{self.table()}"

    def _setting(self) -> tuple[Any, ...]:
        options = {key: value for key, value in self.settings.items() if key != "stream"}
        return self.stream, self.seed, options

    def _chunks(self) -> int:
        return len(self.data[self.names[0]]["start"])

    def _of(self, learner: str) -> dict[str, Values]:
        if learner not in self.data:
            raise KeyError(f"no learner {learner!r}; there are {', '.join(self.names)}")
        return self.data[learner]

    def save(self, path: str | Path) -> None:
        """Write the result as JSON; the trained learners are left out."""
        write_json(path, "driftlearn.result", to_json(self))

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read a result that was saved."""
        return cls(**from_json(read_json(path, "driftlearn.result")))


def summary_table(rows: Mapping[str, Mapping[str, float]]) -> Table:
    """Make a table of one summary a learner, leaving out what nobody has, and mark the best."""
    keys = list(next(iter(rows.values())))
    columns = {key: np.array([row[key] for row in rows.values()]) for key in keys}
    columns = {key: values for key, values in columns.items() if not np.isnan(values).all()}
    marked = {}
    if len(rows) > 1:
        for key in columns.keys() & (BEST_IS_MOST | BEST_IS_LEAST):
            best = np.nanmin if key in BEST_IS_LEAST else np.nanmax
            marked[key] = np.flatnonzero(columns[key] == best(columns[key]))
    return Table({"learner": list(rows), **columns}, marked)
