"""Uniform numbers for the rows of a compiled loop, as if they were drawn row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.base.stream_classifier import MAX_SEED

if TYPE_CHECKING:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.ensemble.online_classifier import OnlineClassifier


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
        self.before = self.state  # the last row that drew a seed
        self.u = rng.random((n_rows, n_each))

    def back_to(self, row: int) -> None:
        """Put the generator to where it was before the numbers of this row were drawn.

        That can be a row behind the last one that drew a seed, or this itself.
        """
        self.rng.bit_generator.state = self.before if row < self.first else self.state
        self.rng.random((max(row - self.first, 0), self.u.shape[1]))

    def seed(self, row: int) -> int:
        """Return a seed drawn after the numbers of this row; those of later rows are renewed."""
        return self.seeds(row, 1)[0]

    def seeds(self, row: int, n: int) -> list[int]:
        """Return so many seeds drawn after the numbers of this row."""
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
    """Have a learner's engine learn rows, with a uniform number for each row and member.

    The votes on each row before it is learned are written to `scores`, if given. Where a row
    fails, the generator stands where it was before that row. An engine whose members differ in
    number says in `n_each` how many numbers a row takes, and asks for several models at a time.
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

    The seed of a model that takes a member's place comes from the number of that row and member.
    So it does not matter for anybody else when that was.
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
