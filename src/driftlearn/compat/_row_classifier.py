"""Classifiers of libraries that take a row at a time, as scikit-learn knows classifiers."""

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
    """A classifier of another library, asked and taught row by row.

    A subclass makes its model in ``_begin`` and says how it takes rows (``_rows``), is asked for
    class shares (``_shares``) and is taught (``_teach``). Such models hear of all classes at their
    start: a label that was not announced makes one begin again, without what it knew.
    """

    model_: Any
    classes_: np.ndarray

    def fit(self, X: Any, y: Any) -> Self:
        """Begin anew with these rows."""
        self.__dict__.pop("model_", None)
        return self.partial_fit(X, y, classes=y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn rows one after the other; `classes` are labels that may come later."""
        for row, code in zip(self._rows(X), self._prepared(X, y, classes)):
            self._teach(row, code)
        return self

    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, proba: bool = False
    ) -> np.ma.MaskedArray:
        """Ask about each row, then learn it; masked is what was asked before the first row."""
        first = not hasattr(self, "model_")
        codes = self._prepared(X, y, classes)
        shares = np.zeros((len(codes), len(self.classes_)))
        for row, code, place in zip(self._rows(X), codes, shares):
            self._shares(row, place)
            self._teach(row, code)
        said = np.ma.array(shares if proba else self.classes_[shares.argmax(axis=1)])
        if first and len(codes):
            said[0] = np.ma.masked
        return said

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return class shares; none of the classes where the model says nothing."""
        check_is_fitted(self, "model_")
        shares = np.zeros((len(X), len(self.classes_)))
        for row, place in zip(self._rows(X), shares):
            self._shares(row, place)
        return shares

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the largest share; the first where the model says nothing."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def _prepared(self, X: Any, y: Any, classes: Any) -> list[int]:
        """Return the codes of labels; make the model when the first rows come, or new labels."""
        labels = np.unique(y if classes is None else np.concatenate([np.unique(classes), y]))
        if not hasattr(self, "model_"):
            self.classes_ = labels
        elif np.isin(labels, self.classes_).all():
            return list(np.searchsorted(self.classes_, y).tolist())
        else:
            self.classes_ = np.union1d(self.classes_, labels)
        self.model_ = self._begin(np.shape(X)[1])
        return list(np.searchsorted(self.classes_, y).tolist())

    def _begin(self, n_features: int) -> Any:
        raise unwritten(self, "_begin(n_features)", "make a model that knows nothing")

    def _rows(self, X: Any) -> Iterable[Any]:
        raise unwritten(self, "_rows(X)", "give the rows as the model takes them")

    def _shares(self, row: Any, place: np.ndarray) -> None:
        raise unwritten(self, "_shares(row, place)", "write the shares of the classes")

    def _teach(self, row: Any, code: int) -> None:
        raise unwritten(self, "_teach(row, code)", "learn a row")
