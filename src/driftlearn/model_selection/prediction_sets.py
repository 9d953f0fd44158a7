"""Prediction sets that keep their coverage when the data changes: adaptive conformal inference."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, InvalidStateError, floats, integer, integers
from driftlearn.utils.arguments import Floats, Ints

WINDOW = 1_000  # rows with which a row is compared, and most rows that count in a step
REPLAYED = 2  # windows of rows that are replayed at least, to find the current rate
STEP_SIZES = 0.001 * 2.0 ** np.arange(8)  # of Gibbs and Candes (2024), section 4
INTERVAL = 500  # rows in which the step sizes are compared, as in the paper


class PredictionSets:
    """Sets of labels that contain the true label at a given rate, also after drift.

    A set holds the labels that conform to what was predicted for recent rows: a label's p-value is
    the share of the last 1,000 labeled rows whose true labels were as improbable or more so. Labels
    with a p-value below a rate are left out. The rate is 1 minus the coverage if nothing changes;
    adaptive conformal inference [1]_ lowers it after every true label that was left out and
    raises it after the others. How fast is decided by comparing eight step sizes with exponential
    weights [2]_. `AutoClassifier` and `OnlineStackingClassifier` contain such an object; use your
    own for a model of another library.

    Parameters
    ----------
    n_classes : int, default=0
        Number of classes, if they are known.

    Attributes
    ----------
    n_rows : int
        Number of labeled rows so far.
    scores : ndarray of shape (n,)
        Of the newest labeled rows, 1 minus the predicted probability of the true label.
    y : ndarray of shape (n,)
        Their labels, as codes.
    known, end : ndarray of shape (n,)
        The numbers of rows that were labeled when a row was predicted, and when its label was used.
    p_values : ndarray of shape (n, 2)
        The p-value of the true label among all rows, and among rows of this label; nan for rows
        that were predicted before the first of them was labeled.

    Notes
    -----
    Rows that are labeled together, such as a chunk, are one step of adaptation. A step size is at
    most 1 divided by the number of rows that are labeled from a prediction to the update by it,
    since larger ones would oscillate with late labels. The state is bounded: the rates are found by
    replaying 2,000 to 3,000 labeled rows (more if labels are late by more rows).

    References
    ----------
    .. [1] I. Gibbs, E. Candes, "Adaptive Conformal Inference Under Distribution Shift", NeurIPS,
       2021, doi:10.48550/arXiv.2106.00170.
    .. [2] I. Gibbs, E. J. Candes, "Conformal Inference for Online Prediction with Arbitrary
       Distribution Shifts", JMLR 25(162), 2024, doi:10.48550/arXiv.2208.08401.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> probas = rng.dirichlet([1, 1, 1], 1500)
    >>> y = np.array([rng.choice(3, p=p) for p in probas])
    >>> sets = PredictionSets(3)
    >>> sets.update(probas[:1000], y[:1000])
    >>> found = sets.predict(probas[1000:], coverage=0.9)
    >>> float(found[np.arange(500), y[1000:]].mean())
    0.9
    """

    STATE: ClassVar[dict[str, Field]] = {
        "n_classes": integer(0),
        "n_rows": integer(0),
        "scores": floats("n"),
        "y": integers("n", least=0, below="n_classes"),
        "known": integers("n", least=0),
        "end": integers("n", least=0),
        "p_values": floats("n", 2, least=0.0, finite=False),
    }

    def __init__(self, n_classes: int = 0):
        self.n_classes, self.n_rows = n_classes, 0
        self.scores, self.p_values = np.zeros(0), np.zeros((0, 2))
        self.y, self.known, self.end = np.zeros((3, 0), dtype=np.int64)

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the numbers of rows are possible."""
        end, known = state["end"], state["known"]
        if len(end) > state["n_rows"] or (np.diff(end) < 0).any() or (known >= end).any():
            raise InvalidStateError("PredictionSets: rows are not in the order of their labels")

    def widened(self, positions: Ints, n_classes: int) -> PredictionSets:
        """Return the sets for an extended class list."""
        new = self._copied()
        new.n_classes, new.y = n_classes, np.asarray(positions, dtype=np.int64)[self.y]
        return new

    def update(self, probas: Floats, y: Ints, delay: int = 0) -> None:
        """Add rows whose labels became known together: a step.

        Parameters
        ----------
        probas : ndarray of shape (n, n_classes)
            What was predicted for the rows before any of their labels was known.
        y : ndarray of shape (n,)
            Their labels, as columns of `probas`.
        delay : int, default=0
            Number of steps that were added after the rows were predicted.
        """
        if len(y) > WINDOW:
            rows = np.linspace(0, len(y) - 1, WINDOW).astype(np.intp)
            probas, y = probas[rows], y[rows]
        scores = 1.0 - probas[np.arange(len(y)), y]
        ends = np.unique(self.end)
        known = int(ends[-1 - delay]) if len(ends) > delay else 0
        self._add(scores, y, np.full(len(y), known), np.full(len(y), self.n_rows + len(y)))

    def update_rows(self, probas: Floats, y: Ints) -> None:
        """Add rows each of which was predicted when the labels of those before were known."""
        numbers = self.n_rows + np.arange(len(y))
        self._add(1.0 - probas[np.arange(len(y)), y], y, numbers, numbers + 1)

    def predict(
        self,
        probas: Floats,
        coverage: float = 0.9,
        *,
        by_label: bool = False,
        allow_empty: bool = False,
    ) -> np.ndarray:
        """Return which labels are in the set of each row.

        Parameters
        ----------
        probas : ndarray of shape (n, n_classes)
            Predicted probabilities.
        coverage : float, default=0.9
            Share of rows whose true label is to be in the set.
        by_label : bool, default=False
            Whether the rows of each label are to have this coverage, rather than all rows together.
            The sets are larger.
        allow_empty : bool, default=False
            Whether sets may be empty. Otherwise they contain the most probable label, and the
            coverage is higher than requested where the model is more accurate.

        Returns
        -------
        ndarray of bool of shape (n, n_classes)
        """
        if not 0.0 < coverage < 1.0:
            raise ValueError(
                f"coverage must be a number between 0 and 1. Got {coverage!r} instead."
            )
        found = np.empty(probas.shape, dtype=bool)
        recent = slice(max(len(self.scores) - WINDOW, 0), None)
        scores, y = self.scores[recent], self.y[recent]
        for code in range(probas.shape[1]):
            own = np.sort(scores[y == code] if by_label else scores)
            at_least = len(own) - np.searchsorted(own, 1.0 - probas[:, code])
            rate = self._rate(coverage, code if by_label else None)
            found[:, code] = (1 + at_least) / (len(own) + 1) >= rate
        if not allow_empty:
            found[np.arange(len(found)), probas.argmax(axis=1)] = True
        return found

    def _add(self, scores: Floats, y: Ints, known: Ints, end: Ints) -> None:
        begin = self.n_rows - len(self.scores)
        self.scores = np.concatenate([self.scores, scores])
        for name, more in (("y", y), ("known", known), ("end", end)):
            setattr(self, name, np.concatenate([getattr(self, name), more]))
        p_values = np.full((len(y), 2), np.nan)
        for i, (score, code, n) in enumerate(zip(scores.tolist(), y.tolist(), known.tolist())):
            window = slice(max(n - WINDOW - begin, 0), max(n - begin, 0))
            at_least = self.scores[window] >= score
            own = self.y[window] == code
            for j, compared in enumerate([at_least, at_least[own]]):
                if len(compared):
                    p_values[i, j] = (1 + np.count_nonzero(compared)) / (len(compared) + 1)
        self.p_values = np.concatenate([self.p_values, p_values])
        self.n_rows += len(y)
        # the first replayed row changes every 1,000 rows, so that most updates go on with a replay
        first = max(self.n_rows // WINDOW - REPLAYED, 0) * WINDOW
        excess = min(first, max(int(known.min(initial=self.n_rows)) - WINDOW, 0)) - begin
        if excess > 0:
            for name in ("scores", "y", "known", "end", "p_values"):
                setattr(self, name, getattr(self, name)[excess:])

    def _rate(self, coverage: float, code: int | None) -> float:
        """Return the current rate, below which p-values are left out."""
        replays = self.__dict__.setdefault("_replays", {})  # not saved
        first = max(self.n_rows // WINDOW - REPLAYED, 0) * WINDOW
        replay = replays.get((coverage, code))
        if replay is None or replay.first != first:
            replay = replays[coverage, code] = Replay(1.0 - coverage, first)
        begin = self.n_rows - len(self.scores)
        rows = np.arange(max(replay.n_rows - begin, 0), len(self.scores))
        p_values = self.p_values[:, int(code is not None)]
        rows = rows[~np.isnan(p_values[rows]) & (True if code is None else self.y[rows] == code)]
        replay.add(p_values[rows], self.known[rows], self.end[rows], rows + begin)
        replay.n_rows = self.n_rows
        return replay.rate

    def _copied(self) -> PredictionSets:
        new = object.__new__(PredictionSets)
        new.__dict__ = self.__getstate__()
        return new

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the replays, which are recomputed when needed."""
        return {name: self.__dict__[name] for name in self.STATE}


class PredictsSets(StreamClassifier):
    """Mixin with `predict_set`, for learners that update ``sets_`` before they are trained."""

    sets_: PredictionSets

    def predict_set(
        self, X: Any, coverage: float = 0.9, *, by_label: bool = False, allow_empty: bool = False
    ) -> np.ndarray:
        """Return for each row a set of labels, which contains the true label at a given rate.

        The rate is maintained after drift and with late labels; see
        `driftlearn.model_selection.PredictionSets`. Each call may request another coverage.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows.
        coverage : float, default=0.9
            Share of rows whose true label is to be in the set.
        by_label : bool, default=False
            Whether the rows of each label are to have this coverage, rather than all rows together.
            The sets are larger.
        allow_empty : bool, default=False
            Whether sets may be empty. Otherwise they contain the most probable label, and the
            coverage is higher than requested where the model is more accurate.

        Returns
        -------
        ndarray of bool of shape (n, classes)
            A column for each of ``classes_``: whether the label is in the set.
        """
        with self._locked():
            probas, _ = self._proba_with_classes(X)
            return self.sets_.predict(probas, coverage, by_label=by_label, allow_empty=allow_empty)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a state, possibly from a version without prediction sets."""
        super().__setstate__(state)
        if "classes_" in state:
            self.__dict__.setdefault("sets_", PredictionSets(len(self.classes_)))


class Replay:
    """Rates of adaptive conformal inference with several step sizes, and their weights.

    Parameters
    ----------
    alpha : float
        1 minus the coverage.
    first : int
        Number of the first row.
    """

    def __init__(self, alpha: float, first: int):
        self.alpha, self.first, self.n_rows = alpha, first, first
        self.rates = [np.full(len(STEP_SIZES), alpha)]  # after each step
        self.ends = [first]  # number of rows before the end of each step
        self.weights = np.full(len(STEP_SIZES), 1.0 / len(STEP_SIZES))
        self.rows = np.zeros(0, dtype=np.int64)
        spread = (1 - alpha) ** 2 * alpha**2
        n = INTERVAL * len(STEP_SIZES)
        self.eta = np.sqrt(3.0 / INTERVAL * (np.log(n) + 2.0) / spread)

    @property
    def rate(self) -> float:
        """The mean rate."""
        return float(self.weights @ self.rates[-1])

    def add(self, p_values: Floats, known: Ints, end: Ints, rows: Ints) -> None:
        """Add labeled rows: their p-values, `known`, `end` and numbers."""
        self.rows = np.concatenate([self.rows, rows])
        begin = 0
        while begin < len(rows):
            stop = begin + int(np.searchsorted(end[begin:], end[begin], side="right"))
            step = slice(begin, stop)
            self._step(p_values[step], int(known[begin]), int(end[begin]))
            begin = stop

    def _step(self, p_values: Floats, known: int, end: int) -> None:
        """Update the rates and weights by rows that were predicted and labeled together."""
        then = self.rates[max(int(np.searchsorted(self.ends, known, side="right")) - 1, 0)]
        lag = int(np.subtract(*np.searchsorted(self.rows, (end, max(known, self.first)))))
        above = p_values[:, None] - then
        missed = np.count_nonzero(above < 0.0, axis=0)
        gains = np.minimum(STEP_SIZES, 1.0 / lag)
        self.rates.append(self.rates[-1] + gains * (self.alpha * len(p_values) - missed))
        self.ends.append(end)
        losses = (self.alpha * above - np.minimum(above, 0.0)).sum(axis=0)
        weights = self.weights * np.exp(-self.eta * (losses - losses.min()))
        share = 1.0 - (1.0 - 0.5 / INTERVAL) ** len(p_values)
        self.weights = (1.0 - share) * weights / weights.sum() + share / len(weights)
