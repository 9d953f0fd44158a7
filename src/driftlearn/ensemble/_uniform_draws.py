"""Uniform numbers for the rows of a compiled loop, as if drawn row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.base.stream_classifier import MAX_SEED

if TYPE_CHECKING:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.ensemble.online_classifier import OnlineClassifier


class Draws:
    """Uniform numbers for a batch of rows, with seeds drawn in between.

    All numbers are drawn at once, but equal those of a row-by-row loop: when a seed is drawn after
    a row, the generator is rewound and the numbers of later rows are drawn again. So results do
    not depend on the size of batches.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the numbers.
    n_rows, n_each : int
        Number of rows; of numbers per row.

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
        self.before = self.state  # before the last row that drew a seed
        self.u = rng.random((n_rows, n_each))

    def back_to(self, row: int) -> None:
        """Rewind the generator to before the numbers of this row were drawn.

        Possible for rows after the last one that drew a seed, and for that row itself.
        """
        self.rng.bit_generator.state = self.before if row < self.first else self.state
        self.rng.random((max(row - self.first, 0), self.u.shape[1]))

    def seed(self, row: int) -> int:
        """Return a seed drawn after the numbers of this row; later numbers are drawn again."""
        return self.seeds(row, 1)[0]

    def seeds(self, row: int, n: int) -> list[int]:
        """Return `n` seeds drawn after the numbers of this row."""
        if row >= self.first:
            self.back_to(row)
            self.before = self.rng.bit_generator.state
        self.back_to(row + 1)
        seeds = [int(self.rng.integers(MAX_SEED)) for _ in range(n)]
        self.first, self.state = row + 1, self.rng.bit_generator.state
        self.rng.random(out=self.u[row + 1 :])
        return seeds


def learn_with_draws(
    learner: OnlineClassifier,
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    scores: np.ndarray | None,
    n_each: int | None = None,
) -> None:
    """Train a learner's engine on rows, with a uniform number for each row and member.

    The votes on each row before it is learned are written to `scores`, if given. If a row fails,
    the generator is rewound to before that row. With `n_each`, a row takes that many numbers, and
    the engine requests several models at a time.
    """
    n_numbers = len(learner.committee_) if n_each is None else n_each
    draws = Draws(learner.rng_, len(y), n_numbers)

    def new_models(row: int, n: int) -> list[OnlineModel]:
        return [learner._new_model(seed) for seed in draws.seeds(row, n)]

    def new_model(row: int) -> OnlineModel:
        return new_models(row, 1)[0]

    _learn(learner, X, y, w, draws, new_model if n_each is None else new_models, scores)


def learn_in_batches(
    learner: OnlineClassifier,
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    scores: np.ndarray | None = None,
) -> None:
    """Train a `BatchEngine`, whose members are independent of each other.

    The seed of a model that replaces a member is derived from the number of that row and member,
    so that the numbers of other members do not depend on it.
    """
    draws = Draws(learner.rng_, len(y), len(learner.committee_))

    def new_model(row: int, member: int) -> OnlineModel:
        return learner._new_model(int(draws.u[row, member] * MAX_SEED))

    _learn(learner, X, y, w, draws, new_model, scores)


def _learn(
    learner: OnlineClassifier,
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    draws: Draws,
    new_model: Callable[..., Any],
    scores: np.ndarray | None,
) -> None:
    before = learner.committee_.n_rows
    try:
        learner.engine_.learn(X, y, w, draws.u, new_model, scores)
    except BaseException:
        draws.back_to(learner.committee_.n_rows - before)
        raise
