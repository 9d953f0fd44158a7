"""Base class of scikit-learn classifiers around models that learn one row at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftlearn.utils.abstract import unwritten

if TYPE_CHECKING:
    from typing_extensions import Self

    from driftlearn.utils.typing import BaseEstimator, ClassifierMixin
else:
    from sklearn.base import BaseEstimator, ClassifierMixin


class RowClassifier(ClassifierMixin, BaseEstimator):
    """Classifier around a model of another library that predicts and learns row by row.

    A subclass implements ``_new_model``, ``_rows`` (conversion of rows), ``_scores_one`` and
    ``_learn_one``. Such models need all classes in advance: an unannounced label replaces the model
    by a new one, which loses what was learned.
    """

    model_: Any
    classes_: np.ndarray

    def fit(self, X: Any, y: Any) -> Self:
        """Fit from scratch, discarding what was learned before."""
        self.__dict__.pop("model_", None)
        return self.partial_fit(X, y, classes=y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Update the model row by row; `classes` announces labels that may come later."""
        for row, code in zip(self._rows(X), self._prepared(X, y, classes)):
            self._learn_one(row, code)
        return self

    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, proba: bool = False
    ) -> np.ma.MaskedArray:
        """Predict each row, then learn it; the prediction before the first row is masked."""
        first = not hasattr(self, "model_")
        codes = self._prepared(X, y, classes)
        scores = np.zeros((len(codes), len(self.classes_)))
        for row, code, out in zip(self._rows(X), codes, scores):
            self._scores_one(row, out)
            self._learn_one(row, code)
        predictions = np.ma.array(scores if proba else self.classes_[scores.argmax(axis=1)])
        if first and len(codes):
            predictions[0] = np.ma.masked
        return predictions

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return class probabilities; zeros where the model abstains."""
        check_is_fitted(self, "model_")
        scores = np.zeros((len(X), len(self.classes_)))
        for row, out in zip(self._rows(X), scores):
            self._scores_one(row, out)
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class; the first class where the model abstains."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _prepared(self, X: Any, y: Any, classes: Any) -> list[int]:
        """Return the codes of labels; create the model for the first rows and for new labels."""
        labels = np.unique(y if classes is None else np.concatenate([np.unique(classes), y]))
        is_new = not hasattr(self, "model_")
        if is_new or not np.isin(labels, self.classes_).all():
            self.classes_ = labels if is_new else np.union1d(self.classes_, labels)
            self.model_ = self._new_model(np.shape(X)[1])
        return list(np.searchsorted(self.classes_, y).tolist())

    def _new_model(self, n_features: int) -> Any:
        raise unwritten(self, "_new_model(n_features)", "return an untrained model")

    def _rows(self, X: Any) -> Iterable[Any]:
        raise unwritten(self, "_rows(X)", "return the rows in the form of the model")

    def _scores_one(self, row: Any, out: np.ndarray) -> None:
        raise unwritten(self, "_scores_one(row, out)", "write the scores of the classes")

    def _learn_one(self, row: Any, code: int) -> None:
        raise unwritten(self, "_learn_one(row, code)", "learn a row")
