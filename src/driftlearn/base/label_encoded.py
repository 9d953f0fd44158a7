"""A classifier that takes no labels but 0, 1, ..., in the seat of one that speaks the user's."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.metaestimators import available_if

from driftlearn.io.schema import Field, able, labels


def _probas(self: LabelEncodedModel, X: Any) -> np.ndarray:
    """Return class probabilities, a column for each of ``classes_``."""
    shares: np.ndarray = self.model.predict_proba(X)
    return shares


class LabelEncodedModel:
    """A model that was trained on the places of labels in a list, and speaks the labels.

    XGBoost's classifier is such a one. The list holds the labels of its rows alone, so that a
    model which saw two classes of five was trained on 0 and 1.

    Parameters
    ----------
    model : classifier
        It was trained on codes.
    classes : ndarray
        The sorted labels that the codes stand for.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    """

    STATE: ClassVar[dict[str, Field]] = {"classes_": labels("classes"), "model": able("predict")}

    def __init__(self, model: Any, classes: np.ndarray):
        self.model, self.classes_ = model, classes

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of each row."""
        said = np.asarray(self.model.predict(X))
        codes = said.astype(np.intp)
        if not ((codes == said) & (codes >= 0) & (codes < len(self.classes_))).all():
            raise ValueError(
                f"predict of {type(self.model).__name__} must return the codes that it was "
                f"trained on, 0 to {len(self.classes_) - 1}"
            )
        labels: np.ndarray = self.classes_[codes]
        return labels

    predict_proba: Any = available_if(lambda self: hasattr(self.model, "predict_proba"))(_probas)


def fitted(model: Any, spare: Any, X: Any, y: np.ndarray, **how: Any) -> Any:
    """Return a model trained on rows and labels; one that refuses these labels, on their places.

    Parameters
    ----------
    model : classifier
        It is trained.
    spare : callable
        Makes another one like it, for a second attempt.
    X, y : ndarray
        Rows and labels.
    **how
        What else `fit` takes.

    Raises
    ------
    Exception
        What the first attempt raised, if the second fails as well.
    """
    try:
        return model.fit(X, y, **how)
    except (TypeError, ValueError) as refusal:
        classes, codes = np.unique(y, return_inverse=True)
        are_codes = y.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))
        if are_codes or not is_classifier(model):
            raise
        try:
            return LabelEncodedModel(spare().fit(X, codes, **how), classes)
        except (TypeError, ValueError):
            raise refusal from None
