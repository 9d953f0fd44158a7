"""Training of external models for a compiled loop."""

from typing import Any

import numpy as np

from driftlearn.base.base_learners import drawn, trained
from driftlearn.base.chunk import Chunk, draw_by_inversion
from driftlearn.base.stream_classifier import MAX_SEED


class ExternalTrainer:
    """Trains external classifiers for a compiled loop, which passes class codes and weights.

    Parameters
    ----------
    base : classifier
        Base learner; without support for weights it is trained on rows drawn by weight.
    classes : ndarray
        Labels of the class codes.
    rng : Generator
        Source of draws and of the models' `random_state`.
    """

    def __init__(self, base: Any, classes: np.ndarray, rng: np.random.Generator):
        self.base, self.classes, self.rng = base, classes, rng
        self.seed: int | None = None

    def train(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Any:
        """Return a new model trained on these rows, without those of weight zero."""
        chunk = Chunk(X, y, w, self.classes).weighted(w)
        chunk = drawn(self.base, chunk, self.rng)
        seed = self._next_seed() if self.seed is None else self.seed
        self.seed = None
        return trained(self.base, chunk, seed)

    def draw(self, w: np.ndarray) -> np.ndarray:
        """Return numbers of rows, as many as there are weights, drawn in proportion to them.

        The seed of the model to be trained on them comes next from the generator, whether or not
        there is anything random in it: so the draws are the same with every base learner.
        """
        rows = draw_by_inversion(w, self.rng)
        self.seed = self._next_seed()
        return rows

    def _next_seed(self) -> int:
        return int(self.rng.integers(MAX_SEED))

    def mark(self) -> Any:
        """Return where the generator is now."""
        return self.rng.bit_generator.state

    def back_to(self, mark: Any) -> None:
        """Put the generator back to where it was."""
        self.rng.bit_generator.state = mark
