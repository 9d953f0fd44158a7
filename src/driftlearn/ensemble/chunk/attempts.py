"""Repeated training of members that are worse than chance, for Learn++ and Learn++.NSE."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from driftlearn.base.chunk import WEAK, Chunk, weighted_error
from driftlearn.ensemble.chunk_classifier import ChunkClassifier


class Attempt(NamedTuple):
    """A trained model with its training rows, its predictions for the chunk and its error."""

    model: Any
    rows: Chunk
    labels: np.ndarray
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
    """Train a model on the rows from `make`, repeatedly while its error under D exceeds 1/2.

    Training is repeated only if the result can differ: the rows are drawn again, or the base
    learner is random. The best attempt is returned.

    Parameters
    ----------
    learner : ChunkClassifier
        The ensemble.
    chunk : Chunk
        The rows on which attempts are evaluated.
    D : ndarray of shape (rows,)
        The distribution over these rows.
    make : callable
        Returns the training rows of an attempt.
    redrawn : bool
        Whether `make` returns different rows each time.
    max_retries : int
        Maximum number of repetitions.
    """

    def attempt() -> Attempt:
        rows = make()
        model = learner._train(rows)
        labels = learner._labels_of(model, chunk.X)
        return Attempt(model, rows, labels, float(weighted_error(labels != chunk.y, D)))

    base, best = learner._base_learner(), attempt()
    random = redrawn or any(name.endswith("random_state") for name in base.get_params())
    for _ in range(max_retries * random):
        if best.weak:
            # `min` returns the first of equal attempts
            best = min(best, attempt(), key=lambda each: each.error)
    return best
