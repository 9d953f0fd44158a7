"""Ensembles that see one example at a time."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import validate_data

from driftlearn._base import Chunk, StreamClassifier, plain_labels
from driftlearn._committee import History
from driftlearn._guest import Guest
from driftlearn._table import Table
from driftlearn.kernels.learner import Learner
from driftlearn.kernels.leaves import check_codes
from driftlearn.learners._online import OnlineClassifier
from driftlearn.learners.gaussian_nb import GaussianNBClassifier

RECORDED_EVERY = 200
PIECE = 2048


class OnlineEnsembleClassifier(StreamClassifier):
    """Base of the ensembles that learn row by row, whatever their members are.

    A subclass writes

    * ``_team()``: return the state of an ensemble that has seen nothing;
    * ``_learn_rows(X, y, w)``: have the team learn some rows, in order.

    The team, ``team_``, has

    * ``n_rows``: the rows it has learned, which grows by one when a row is done;
    * ``widen(positions, n_classes)``: old class ``c`` is ``positions[c]`` now;
    * ``scores(X)``: class scores of shape (n, n_classes), larger is likelier;
    * ``describe()``: a dict with one entry a member in each of ``"id"``, ``"born"`` (the row),
      ``"weight"``, ``"error"``, ``"classes"`` (a row of flags, one a class), ``"size"`` and
      whatever else should be shown.

    Rows are handed over in pieces that end where the history is written, which depends on the
    number of rows seen and on nothing else: one call of n rows and n calls of one row are the
    same. Where a member's learning fails in the middle of a call, the rows before are learned
    and the error says which row it was; members that had their turn before the one that failed
    have learned that row too.
    """

    _in_place = True
    _parameter_constraints: dict[str, list] = {
        "estimator": [HasMethods(["partial_fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    estimator: Any
    n_estimators: int | None
    team_: Any

    @property
    def members_(self) -> Table:
        """One row a member: id, row of birth, weight, error, classes it has met, size."""
        self._check_fitted()
        columns = self.team_.describe()
        met = np.asarray(columns["classes"], dtype=bool)
        return Table({**columns, "classes": [self.classes_[row].tolist() for row in met]})

    def _team(self) -> Any:
        raise NotImplementedError

    def _learn_rows(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        raise NotImplementedError

    def _base_learner(self) -> Any:
        return GaussianNBClassifier() if self.estimator is None else self.estimator

    def _seed(self) -> int:
        return int(self.rng_.integers(2**31 - 1))

    def _begin(self) -> None:
        base = self._base_learner()
        if isinstance(base, StreamClassifier):
            base._validate_params()
        self.history_ = History()
        self.history_.stride = RECORDED_EVERY
        self.team_ = self._team()

    def _widen(self, positions: np.ndarray) -> None:
        self.team_.widen(positions, len(self.classes_))

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self.team_.scores(X)

    def _learn(self, chunk: Chunk) -> None:
        before = self.team_.n_rows
        done = 0
        try:
            while done < len(chunk):
                to_mark = self.history_.stride - (before + done) % self.history_.stride
                stop = min(len(chunk), done + PIECE, done + to_mark)
                self._learn_rows(chunk.X[done:stop], chunk.y[done:stop], chunk.w[done:stop])
                if stop == done + to_mark:
                    now = self.team_.describe()
                    self.history_.record(before + stop, now["id"], now["weight"])
                done = stop
        except Exception as problem:
            raise _Stopped(self.team_.n_rows - before) from problem

    def _absorb(self, X, y, classes, sample_weight, start: bool, finish: bool):
        try:
            return super()._absorb(X, y, classes, sample_weight, start, finish)
        except _Stopped as stopped:
            row, problem = stopped.args[0], stopped.__cause__
            if np.ndim(sample_weight):
                row = int(np.flatnonzero(sample_weight)[row])
            raise RuntimeError(
                f"row {row} of this call could not be learned; the rows before it are learned. "
                f"{type(problem).__name__}: {problem}"
            ) from problem


class _Stopped(Exception):
    """Learning stopped after so many of the rows handed over."""


class LearnerEnsembleClassifier(OnlineEnsembleClassifier):
    """Base of the ensembles whose members are online learners, each going on from row to row.

    Our own online learners (naive Bayes, Hoeffding tree) are driven natively. Any other
    classifier with `partial_fit` runs in the same loops as a `Guest`.
    """

    @property
    def estimators_(self) -> list[Any]:
        """The members: compiled learners, or the models of the base learner given."""
        self._check_fitted()
        return [getattr(member, "model", member) for member in self.team_.members]

    def _begin(self) -> None:
        self.announced_ = self.classes_[:0]
        super()._begin()

    def _fresh(self, seed: int) -> Learner:
        """Return a learner that knows nothing, of the kind the base estimator describes."""
        base = self._base_learner()
        if isinstance(base, OnlineClassifier):
            return base._make(self.n_features_in_, len(self.classes_))
        return Guest(base, seed, self.n_features_in_, self.classes_, self.announced_)

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        for guest in self._guests():
            guest.labels = self.classes_

    def _guests(self) -> list[Guest]:
        return [member for member in self.team_.members if isinstance(member, Guest)]

    def _absorb(self, X, y, classes, sample_weight, start: bool, finish: bool):
        """Announce the labels of `classes`; `fit`, which sees them all, announces those of `y`."""
        if finish and y is not None:
            classes = y
        return super()._absorb(X, y, classes, sample_weight, start, finish)

    def _validated(self, X: Any, y: Any, classes: Any, sample_weight: Any, start: bool) -> Chunk:
        base = self._base_learner()
        if getattr(base, "nominal_features", None) is not None:
            rows = validate_data(self, X, reset=start, dtype=np.float64)
            check_codes(rows[:, base._nominal(rows.shape[1])])
        chunk = super()._validated(X, y, classes, sample_weight, start)
        if classes is not None:
            self.announced_ = np.union1d(self.announced_, plain_labels(classes))
            for guest in self._guests():
                guest.announce(self.announced_)
        return chunk


class PoissonEnsembleClassifier(LearnerEnsembleClassifier):
    """Base of the ensembles whose members learn a row a random number of times."""

    n_estimators: int

    def _filled(self, team: Any) -> Any:
        """Return a team with all its members, which know nothing."""
        for _ in range(self.n_estimators):
            team.add(self._fresh(self._seed()))
        return team

    def _learn_rows(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        before = self.team_.n_rows
        draws = Draws(self.rng_, len(y), len(self.team_))
        try:
            self.team_.learn(X, y, w, draws.u, lambda row: self._fresh(draws.seed(row)))
        except BaseException:
            draws.back_to(self.team_.n_rows - before)
            raise


class Draws:
    """Uniform numbers for some rows, the same number for each, with seeds drawn in between.

    They are drawn all at once, and yet as if they had been drawn row by row: what was drawn too
    early is taken back. So the numbers do not depend on how many rows are drawn for together.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the numbers come from.
    n_rows, n_each : int
        How many numbers.

    Attributes
    ----------
    u : ndarray of shape (n_rows, n_each)
        The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> rng, other = np.random.default_rng(0), np.random.default_rng(0)
    >>> draws = Draws(rng, 5, 2)
    >>> seed = draws.seed(1)
    >>> row_by_row = [other.random(2), other.random(2)]
    >>> print(seed == other.integers(2**31 - 1), (draws.u[2] == other.random(2)).all())
    True True
    """

    def __init__(self, rng: np.random.Generator, n_rows: int, n_each: int):
        self.rng, self.first, self.state = rng, 0, rng.bit_generator.state
        self.u = rng.random((n_rows, n_each))

    def back_to(self, row: int) -> None:
        """Put the generator to where it was before the numbers of this row were drawn."""
        self.rng.bit_generator.state = self.state
        self.rng.random((max(row - self.first, 0), self.u.shape[1]))

    def seed(self, row: int) -> int:
        """Return a seed drawn after the numbers of this row; those of later rows are renewed."""
        self.back_to(row + 1)
        seed = int(self.rng.integers(2**31 - 1))
        self.first, self.state = row + 1, self.rng.bit_generator.state
        self.rng.random(out=self.u[row + 1 :])
        return seed
