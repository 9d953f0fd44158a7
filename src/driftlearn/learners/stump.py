"""The decision stump."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from driftlearn._schema import Field, Misfit, floats, integer, number
from driftlearn.base.chunk import Chunk
from driftlearn.base.class_weight import CLASS_WEIGHT
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.kernels.fit_stump import fit_stump


class StumpClassifier(StreamClassifier):
    """One feature, one threshold: the split of least weighted error.

    Each side of the threshold names its heaviest class. Where no split is better than naming one
    class everywhere, none is made.

    Parameters
    ----------
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), with the n rows and k classes of a call.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    feature_ : int
        The feature that is split; -1 if none is.
    threshold_ : float
        Rows with ``x <= threshold_`` go left.
    value_ : ndarray of shape (2, n_classes)
        Class weights of the rows on the left and on the right; without a split all are left.

    References
    ----------
    .. [1] W. Iba, P. Langley, "Induction of one-level decision trees", ICML 1992.

    Examples
    --------
    >>> model = StumpClassifier().fit([[1, 0], [2, 0], [3, 1], [4, 1]], ["a", "b", "b", "b"])
    >>> model.feature_, model.threshold_
    (0, 1.5)
    >>> model.predict([[1, 5], [2, 5]]).tolist()
    ['a', 'b']
    """

    STATE: ClassVar[dict[str, Field]] = {
        **StreamClassifier.STATE,
        "feature_": integer(-1),
        "threshold_": number(),
        "value_": floats(2, "classes", least=0),
    }
    _incremental = False
    _parameter_constraints = {"class_weight": CLASS_WEIGHT}

    def __init__(self, *, class_weight: Any = None):
        self.class_weight = class_weight

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the feature is there."""
        if "feature_" in state and state["feature_"] >= state["n_features_in_"]:
            raise Misfit("a stump asks for a feature that there is not")

    def _learn(self, chunk: Chunk) -> None:
        self.feature_, self.threshold_, left, right = fit_stump(
            chunk.X, chunk.order, chunk.y, chunk.w, len(self.classes_)
        )
        self.value_ = np.maximum([left, right], 0.0)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        if self.feature_ < 0:
            side = np.zeros(len(X), dtype=int)
        else:
            side = (X[:, self.feature_] > self.threshold_).astype(int)
        total = self.value_.sum(axis=1, keepdims=True)
        return (self.value_ / np.where(total > 0, total, 1.0))[side]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
