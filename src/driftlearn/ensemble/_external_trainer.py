"""Training of external models for a compiled loop."""

from typing import Any

import numpy as np

from driftlearn.base.base_learners import drawn, trained
from driftlearn.base.chunk import Chunk
from driftlearn.base.row_weights import draw_by_inversion
from driftlearn.base.stream_classifier import MAX_SEED


class ExternalTrainer:
    """Trainer of external classifiers, called by a compiled loop with class codes and weights.

    Parameters
    ----------
    base : classifier
        Base learner; if it does not support weights, it is trained on rows sampled by weight.
    classes : ndarray
        Labels of the class codes.
    rng : Generator
        Source of draws and of the models' `random_state`.
    """

    def __init__(self, base: Any, classes: np.ndarray, rng: np.random.Generator):
        self.base, self.classes, self.rng = base, classes, rng
        self.seed: int | None = None

    def train(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Any:
        """Return a new model trained on the rows with nonzero weight."""
        chunk = Chunk(X, y, w, self.classes).weighted(w)
        chunk = drawn(self.base, chunk, self.rng)
        seed = self._next_seed() if self.seed is None else self.seed
        self.seed = None
        return trained(self.base, chunk, seed)

    def draw(self, w: np.ndarray) -> np.ndarray:
        """Return row numbers sampled in proportion to the weights, one per weight.

        The next number drawn from the generator is the seed of the model to be trained on these
        rows, even if the base learner is deterministic: the samples are the same for every base
        learner.
        """
        rows = draw_by_inversion(w, self.rng)
        self.seed = self._next_seed()
        return rows

    def _next_seed(self) -> int:
        return int(self.rng.integers(MAX_SEED))

    def mark(self) -> Any:
        """Return the current state of the generator."""
        return self.rng.bit_generator.state

    def back_to(self, mark: Any) -> None:
        """Restore a state of the generator."""
        self.rng.bit_generator.state = mark
