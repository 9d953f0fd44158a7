"""Ensembles that see one example at a time."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval

from driftlearn._base import Chunk, StreamClassifier
from driftlearn._history import History
from driftlearn._table import Table
from driftlearn.learners.gaussian_nb import GaussianNBClassifier

RECORDED_EVERY = 200
PIECE = 2048


class OnlineEnsembleClassifier(StreamClassifier):
    """Base of the ensembles that learn row by row, whatever their members are.

    A subclass writes

    * ``_team()``: return the state of an ensemble that has seen nothing;
    * ``_learn_rows(X, y, w)``: have the team learn some rows, in order.

    The team, ``team_``, has

    * ``__len__``: the number of members;
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

    @property
    def n_members_(self) -> int:
        """The number of members: the length of `members_`, without the work of making it."""
        self._check_fitted()
        return len(self.team_)

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
