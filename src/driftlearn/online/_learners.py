"""Ensembles whose members are online learners, each going on from row to row."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from driftlearn.base.chunk import Chunk
from driftlearn.base.foreign_model import ForeignModel
from driftlearn.base.input import plain_labels
from driftlearn.base.online_classifier import OnlineClassifier
from driftlearn.engines.hoeffding_leaves import check_codes
from driftlearn.engines.online_model import OnlineModel
from driftlearn.learners._one_model import OneModelClassifier
from driftlearn.learners.hoeffding_tree import HoeffdingTreeClassifier


class LearnerEnsembleClassifier(OnlineClassifier):
    """Base of the ensembles whose members are online learners, each going on from row to row.

    Our own online learners (naive Bayes, Hoeffding tree) are driven natively. Any other
    classifier with `partial_fit` runs in the same loops as a `ForeignModel`.
    """

    @property
    def estimators_(self) -> list[Any]:
        """The members: compiled learners, or models of another kind, None for one not begun."""
        self._check_fitted()
        return [getattr(member, "model", member) for member in self.team_.members]

    def _begin(self) -> None:
        self.announced_ = self.classes_[:0]
        super()._begin()

    def _fresh(self, seed: int) -> OnlineModel:
        """Return a learner that knows nothing, of the kind the base estimator describes."""
        base = self._base_learner()
        if isinstance(base, OneModelClassifier):
            return base._make(self.n_features_in_, len(self.classes_))
        return ForeignModel(base, seed, self.n_features_in_, self.classes_, self.announced_)

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        for guest in self._guests():
            guest.labels = self.classes_

    def _guests(self) -> list[ForeignModel]:
        return [member for member in self.team_.members if isinstance(member, ForeignModel)]

    def _absorb(self, X, y, classes, sample_weight, start: bool, finish: bool):
        """Announce the labels of `classes`; `fit`, which sees them all, announces those of `y`."""
        if finish and y is not None:
            classes = y
        return super()._absorb(X, y, classes, sample_weight, start, finish)

    def _validated(self, X: Any, y: Any, classes: Any, sample_weight: Any, start: bool) -> Chunk:
        base = self._base_learner()
        if isinstance(base, HoeffdingTreeClassifier) and base.nominal_features is not None:
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
