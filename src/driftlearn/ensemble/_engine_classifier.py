"""Base class of ensembles with a compiled training loop, and the random numbers it uses."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from driftlearn.base._online_model import OnlineModel
from driftlearn.base.stream_classifier import MAX_SEED
from driftlearn.ensemble.online_classifier import OnlineClassifier


@dataclass(eq=False, repr=False)
class EngineClassifier(OnlineClassifier):
    """Base class of ensembles trained in a compiled loop, the engine.

    A subclass implements `_new_engine`. The committee initially has `_n_initial` untrained members,
    by default `n_estimators`. Its columns are `_columns`.
    """

    estimator: Any = None
    n_estimators: Any = 10
    _: KW_ONLY
    nominal_features: Any = None
    class_weight: Any = None
    random_state: Any = None

    _numbers_per_estimator: ClassVar[int] = 0  # number of uniform random numbers drawn per row

    def _begin(self) -> None:
        super()._begin()
        for _ in range(self._n_initial()):
            self.committee_.add(self._new_model(), **self._initial_row())
        self.engine_ = self._new_engine()

    def _new_engine(self) -> Any:
        """Return the engine for the committee, which contains the initial members."""
        raise NotImplementedError

    def _n_initial(self) -> int:
        """Return the number of members before the first row."""
        return int(self.n_estimators)

    def _initial_row(self) -> dict[str, Any]:
        """Return the column values and objects, such as detectors, of an initial member."""
        return {}

    def _draws(self, n_rows: int) -> Draws:
        """Return the random numbers for a batch of rows."""
        n = self._numbers_per_estimator
        return Draws(self, n_rows, n * self.n_estimators if n else 0)

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        draws, before = self._draws(len(y)), self.committee_.n_rows
        try:
            self.engine_.learn(X, y, w, draws, scores)
        except BaseException:
            draws.back_to(self.committee_.n_rows - before)
            raise


class EngineCounter:
    """Descriptor of a fitted attribute that returns a counter of the engine, 0 by default."""

    def __init__(self, doc: str):
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name.removesuffix("_")

    def __get__(self, learner: Any, owner: type | None = None) -> int:
        if learner is None:
            return self  # type: ignore[return-value]
        learner._check_fitted()
        return int(getattr(learner.engine_, self.name, 0))


class Draws:
    """Uniform random numbers for a batch of rows, with model seeds drawn in between.

    All numbers are drawn at once, but equal those of a row-by-row loop: when a seed is drawn after
    a row, the generator is rewound and the numbers of later rows are drawn again. Results therefore
    do not depend on the batch size.

    Parameters
    ----------
    learner : OnlineClassifier
        The ensemble, with the generator ``rng_``.
    n_rows, n_each : int
        Number of rows; number of random numbers per row. With 0 numbers per row, nothing is
        rewound.

    Attributes
    ----------
    u : ndarray of shape (n_rows, n_each)
        The numbers.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> rng, other = np.random.default_rng(0), np.random.default_rng(0)
    >>> draws = Draws(SimpleNamespace(rng_=rng), 5, 2)
    >>> seed = draws.seed(1)
    >>> row_by_row = [other.random(2), other.random(2)]
    >>> print(seed == other.integers(2**31 - 1), (draws.u[2] == other.random(2)).all())
    True True
    """

    def __init__(self, learner: Any, n_rows: int, n_each: int):
        self.learner, self.rng, self.first = learner, learner.rng_, 0
        self.state = self.rng.bit_generator.state if n_each else None
        self.before = self.state  # state of the generator before the last row that drew a seed
        self.u = self.rng.random((n_rows, n_each))

    def back_to(self, row: int) -> None:
        """Rewind the generator to its state before the numbers of this row were drawn.

        The row must not precede the last row after which a seed was drawn.
        """
        if self.state is not None:
            self.rng.bit_generator.state = self.before if row < self.first else self.state
            self.rng.random((max(row - self.first, 0), self.u.shape[1]))

    def seed(self, row: int) -> int:
        """Return a seed drawn after the numbers of this row; later numbers are drawn again."""
        if self.state is None:
            return int(self.rng.integers(MAX_SEED))
        if row >= self.first:
            self.back_to(row)
            self.before = self.rng.bit_generator.state
        self.back_to(row + 1)
        seed = int(self.rng.integers(MAX_SEED))
        self.first, self.state = row + 1, self.rng.bit_generator.state
        self.rng.random(out=self.u[row + 1 :])
        return seed

    def new_model(self, row: int) -> OnlineModel:
        """Return an untrained model of the learner, to be used from this row on."""
        return self.learner._new_model(self.seed(row))
