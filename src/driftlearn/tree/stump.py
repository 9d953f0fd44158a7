"""The decision stump."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.class_weight import CLASS_WEIGHT
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, InvalidStateError, floats, integer, newer, number
from driftlearn.tree._fit_stump import fit_stump


class StumpClassifier(StreamClassifier):
    """One feature, one threshold: the split of least weighted error.

    Each side of the threshold names its heaviest class. Where no split is better than naming one
    class everywhere, none is made.

    Missing values (nan) are taken as they are. Where rows lack a feature, each of its thresholds is
    tried with these rows on the left and on the right, and last all rows that have it (left,
    threshold inf) against those that do not (right). The side that gets more weight right is kept;
    where both do alike, and where no training row lacked the feature, it is the side of more weight
    among the rows that have it, the left one if both weigh the same.

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
    missing_left_ : int
        1 if rows in which the feature is missing go left.
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
        "threshold_": number(finite=False),
        "missing_left_": newer(integer(0, 1)),
        "value_": floats(2, "classes", least=0),
    }
    missing_left_ = 1  # of stumps from files that do not say
    _incremental = False
    _parameter_constraints = {"class_weight": CLASS_WEIGHT}

    def __init__(self, *, class_weight: Any = None):
        self.class_weight = class_weight

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the feature is there."""
        if "feature_" in state and state["feature_"] >= state["n_features_in_"]:
            raise InvalidStateError("a stump asks for a feature that there is not")

    def _learn(self, chunk: Chunk) -> None:
        self.feature_, self.threshold_, left, right, self.missing_left_ = fit_stump(
            chunk.X, chunk.order, chunk.y, chunk.w, len(self.classes_)
        )
        self.value_ = np.maximum([left, right], 0.0)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        total = self.value_.sum(axis=1, keepdims=True)
        return (self.value_ / np.where(total > 0, total, 1.0))[self._side(X)]

    def _side(self, X: np.ndarray) -> np.ndarray:
        """Return 0 for the rows on the left, 1 for those on the right."""
        if self.feature_ < 0:
            return np.zeros(len(X), dtype=int)
        x = X[:, self.feature_]
        return np.where(np.isnan(x), 1 - self.missing_left_, x > self.threshold_)

    def _takes_missing(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
