"""Wrapper of a trained classifier as an online model that is not trained further."""

from typing import Any, ClassVar

import numpy as np

from driftlearn.base._online_model import OnlineModel
from driftlearn.base.base_learners import columns_of, proba
from driftlearn.base.external_model import ClassBook
from driftlearn.io.schema import Field, InvalidStateError, a, able


class FixedModel(OnlineModel):
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
        **OnlineModel.STATE,
        "book": a(ClassBook),
        "model": able("predict"),
    }

    def __init__(self, model: Any, weight: float, n_features: int, book: ClassBook):
        super().__init__(n_features, len(book.labels))
        self.model, self.book, self.weight_seen = model, book, weight

    @property
    def n_nodes(self) -> int | None:
        """Size of the classifier; None if unknown."""
        return getattr(self.model, "size_", None)

    def predict_one(self, X: Any, i: int) -> int:
        """Return the class code predicted for row `i`."""
        return int(self.predict_many(np.asarray(X)[i : i + 1])[0])

    def predict_many(self, X: Any) -> np.ndarray:
        """Return the class code predicted for each row."""
        return self.book.codes(self.model, np.asarray(X))

    def scores_one(self, X: Any, i: int, out: Any) -> None:
        """Write the class probabilities of row `i` to `out`."""
        self.scores_many(np.asarray(X)[i : i + 1], np.asarray(out)[None])

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
