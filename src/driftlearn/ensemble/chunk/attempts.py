"""Training again where a new member is worse than chance: Learn++ and Learn++.NSE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.member_weights import WEAK, weighted_error


class Attempt(NamedTuple):
    """A trained model, the rows that trained it, what it says of the chunk, and its error."""

    model: Any
    rows: Chunk
    said: np.ndarray
    error: float

    @property
    def weak(self) -> bool:
        """Whether the model is worse than chance."""
        return self.error > WEAK


def best_attempt(
    learner: ChunkClassifier,
    chunk: Chunk,
    D: np.ndarray,
    make: Callable[[], Chunk],
    redrawn: bool,
    max_retries: int,
) -> Attempt:
    """Train on what `make` gives; while the error under D exceeds 1/2, try again.

    Another attempt is only made where it can end differently: the rows are drawn anew, or the
    base learner itself is random. The best attempt counts.

    Parameters
    ----------
    learner : ChunkClassifier
        Who trains.
    chunk : Chunk
        The rows by which the attempts are judged.
    D : ndarray of shape (rows,)
        The distribution over them.
    make : callable
        Returns the rows of one attempt.
    redrawn : bool
        Whether it returns others every time.
    max_retries : int
        The most attempts after the first.
    """

    def attempt() -> Attempt:
        rows = make()
        model = learner._train(rows)
        said = learner._labels_of(model, chunk.X)
        return Attempt(model, rows, said, float(weighted_error(said != chunk.y, D)))

    base, best = learner._base_learner(), attempt()
    random = redrawn or any(name.endswith("random_state") for name in base.get_params())
    for _ in range(max_retries * random):
        if best.weak:
            best = min(best, attempt(), key=lambda each: each.error)  # the first of equals
    return best
