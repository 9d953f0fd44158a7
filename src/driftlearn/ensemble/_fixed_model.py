"""Classifiers that are trained once: as an online model, and as a member of a compiled loop."""

from typing import Any, ClassVar

import numpy as np

from driftlearn.base.base_learners import columns_of, drawn, proba, trained
from driftlearn.base.chunk import Chunk, draw_by_inversion
from driftlearn.base.external_model import ClassBook, WrappedModel
from driftlearn.base.stream_classifier import MAX_SEED
from driftlearn.io.schema import Field, InvalidStateError, a, able


class FixedModel(WrappedModel):
    """Wrapper by which a trained classifier of any library can vote in an online ensemble.

    Parameters
    ----------
    model : classifier
        The trained classifier, which is not modified.
    weight : float
        Total weight of the rows that it was trained on.
    n_features : int
        Number of features.
    book : ClassBook
        The labels of class codes, updated by the owner of the model.
    """

    STATE: ClassVar[dict[str, Field]] = {
        **WrappedModel.STATE,
        "book": a(ClassBook),
        "model": able("predict"),
    }

    def __init__(self, model: Any, weight: float, n_features: int, book: ClassBook):
        super().__init__(n_features, len(book.labels))
        self.model, self.book, self.weight_seen = model, book, weight

    def predict_many(self, X: Any) -> np.ndarray:
        """Return the class code predicted for each row."""
        return self.book.codes(self.model, np.asarray(X))

    def scores_many(self, X: Any, out: Any) -> None:
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes)."""
        out = np.asarray(out)
        out[:] = 0.0
        out[:, columns_of(self.model, self.book.labels)] = proba(self.model, np.asarray(X))

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the book contains the classes of the classifier."""
        labels = state["book"].labels
        known = np.isin(getattr(state["model"], "classes_", ()), labels).all()
        if len(labels) != state["n_classes"] or not known:
            raise InvalidStateError("the classifier has classes that are not in the class book")


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
