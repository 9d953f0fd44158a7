"""Decision stump classifier."""

from typing import Any, ClassVar

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, floats, integer, newer, number
from driftlearn.tree._fit_stump import fit_stump


class StumpClassifier(StreamClassifier):
    """Decision stump classifier: a single split on one feature.

    The stump minimizes the weighted training error; each side predicts its majority class. If no
    split is better than predicting one class everywhere, no split is made. Stumps are weak learners
    for boosting and other ensembles.

    Missing values (nan) are supported. If a feature has missing values, each threshold is tried
    with these rows on the left and on the right, and finally one more split with threshold inf:
    present values left, missing ones right. If both sides are equally good, or if no training value
    was missing, missing values go to the side with more weight, left if equal.

    Parameters
    ----------
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied. A dict maps labels to weights; other
        classes have weight 1. "balanced" uses n / (k * rows of the class), with the n rows and k
        classes of the call.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    feature_ : int
        Feature of the split; -1 without a split.
    threshold_ : float
        Rows with ``x <= threshold_`` go left.
    missing_left_ : int
        1 if missing values go left.
    value_ : ndarray of shape (2, n_classes)
        Class weights on the left and on the right; without a split all rows are on the left.

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
        "feature_": integer(-1, below="n_features_in_"),
        "threshold_": number(finite=False),
        "missing_left_": newer(integer(0, 1)),
        "value_": floats(2, "classes", least=0),
    }
    missing_left_ = 1  # default for stumps stored without this attribute
    _incremental = False
    _poor_score = True

    def __init__(self, *, class_weight: Any = None):
        self.class_weight = class_weight

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
