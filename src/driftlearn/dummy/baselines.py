"""Baselines that ignore the features: majority class and last label."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import (
    Field,
    InvalidStateError,
    floats,
    integer,
    integers,
    newer,
    optional,
)
from driftlearn.utils._class_axis import widened
from driftlearn.utils.interrupts import uninterrupted


class BlindClassifier(StreamClassifier):
    """Base class of classifiers that ignore the features: all rows get the same prediction.

    A subclass implements ``_update(y, w)``, given class codes and weights, and
    ``_class_scores()``, the scores predicted for every row.
    """

    _in_place = True
    _poor_score = True

    def _learn(self, chunk: Chunk) -> None:
        with uninterrupted():
            self._update(chunk.y, chunk.w)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return np.repeat(self._class_scores()[None], len(X), axis=0)

    def _update(self, y: np.ndarray, w: np.ndarray) -> None:
        raise NotImplementedError

    def _class_scores(self) -> np.ndarray:
        raise NotImplementedError

    def _takes_missing(self) -> bool:
        return True


class MajorityClassifier(BlindClassifier):
    """Majority class classifier: predicts the most frequent label, ignoring the features.

    Predicted probabilities are the class priors: a baseline for log loss, Brier score and
    calibration. One row shared by all classes is added to the counts, so that no class has
    probability 0.

    Parameters
    ----------
    window : int, optional
        Number of latest rows to count; by default, all rows are counted.

    Attributes
    ----------
    classes_ : ndarray
        The known labels, sorted.
    counts_ : ndarray
        Sum of row weights of each class.

    References
    ----------
    .. [1] A. Bifet, G. De Francisci Morales, J. Read, G. Holmes, B. Pfahringer, "Efficient online
       evaluation of big data stream classifiers", KDD 2015, doi:10.1145/2783258.2783372.

    Examples
    --------
    >>> model = MajorityClassifier().partial_fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 1])
    >>> model.predict([[1.0]]), model.predict_proba([[1.0]])
    (array([1]), array([[0.3, 0.7]]))
    """

    STATE: ClassVar[dict[str, Field]] = {
        "counts_": floats("classes", least=0.0),
        "recent_": optional(integers("rows", least=0, below="classes"), needed=True),
        "recent_weights_": optional(floats("rows", least=0.0), needed=True),
    }
    _parameter_constraints = {"window": [Interval(Integral, 1, None, closed="left"), None]}
    counts_: np.ndarray

    def __init__(self, window: int | None = None):
        self.window = window

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless rows and weights are stored exactly if there is a window."""
        rows, weights = state.get("recent_"), state.get("recent_weights_")
        changed = "classes_" in state and (rows is None) != (state.get("window") is None)
        if changed or (rows is None) != (weights is None):
            raise InvalidStateError(
                "rows and weights must be stored if and only if there is a window"
            )

    def _begin(self) -> None:
        self.counts_ = np.zeros(len(self.classes_))
        windowed = self.window is not None
        self.recent_ = np.zeros(0, dtype=np.int64) if windowed else None
        self.recent_weights_ = np.zeros(0) if windowed else None

    def _widen(self, positions: np.ndarray) -> None:
        self.counts_ = widened(self.counts_, positions, len(self.classes_))
        if self.recent_ is not None:
            self.recent_ = positions[self.recent_]

    def _update(self, y: np.ndarray, w: np.ndarray) -> None:
        if self.recent_ is None or self.recent_weights_ is None:
            # adds row by row: results do not depend on how rows are split into calls
            np.add.at(self.counts_, y, w)
            return
        assert self.window is not None
        self.recent_ = np.concatenate([self.recent_, y])[-self.window :]
        self.recent_weights_ = np.concatenate([self.recent_weights_, w])[-self.window :]
        self.counts_ = np.bincount(self.recent_, self.recent_weights_, len(self.classes_))

    def _class_scores(self) -> np.ndarray:
        return self.counts_ + 1.0 / len(self.classes_)


class NoChangeClassifier(BlindClassifier):
    """No-change classifier: predicts the last label seen, ignoring the features.

    In row-by-row evaluation this is the label of the previous row; with chunks, all rows of a chunk
    get the last label of the previous chunk. In row-by-row evaluation on streams with temporally
    dependent labels, such as the electricity data, this baseline is more accurate than most
    learners. Kappa-temporal measures the improvement over it.

    The probability of the last label is the share of rows that had the label of the row before,
    with Laplace smoothing; the other classes share the rest. The last label is predicted even if
    most labels differ from the one before; its probability is then that of the other classes.

    Attributes
    ----------
    classes_ : ndarray
        The known labels, sorted.
    last_ : int
        The code of the last label; -1 before the first row.
    n_repeated_, n_changed_ : int
        Number of rows with the label of the row before, and with another one.

    References
    ----------
    .. [1] I. Zliobaite, A. Bifet, J. Read, B. Pfahringer, G. Holmes, "Evaluation methods and
       decision theory for classification of streaming data with temporal dependence", Machine
       Learning 98(3), 2015, doi:10.1007/s10994-014-5441-4.

    Examples
    --------
    >>> model = NoChangeClassifier().partial_fit([[1.0], [2.0]], ["up", "down"])
    >>> model.predict([[1.0], [7.0]]).tolist()
    ['down', 'down']
    """

    STATE: ClassVar[dict[str, Field]] = {
        "last_": integer(-1, below="classes"),
        "n_repeated_": newer(integer(0)),
        "n_changed_": newer(integer(0)),
    }
    last_ = -1
    n_repeated_ = n_changed_ = 0

    def _begin(self) -> None:
        self.last_, self.n_repeated_, self.n_changed_ = -1, 0, 0

    def _widen(self, positions: np.ndarray) -> None:
        self.last_ = int(positions[self.last_]) if self.last_ >= 0 else -1

    def _update(self, y: np.ndarray, w: np.ndarray) -> None:
        repeated = int((np.append(self.last_, y[:-1]) == y).sum())
        self.n_repeated_ += repeated
        self.n_changed_ += len(y) - repeated - (self.last_ < 0)
        self.last_ = int(y[-1])

    def _class_scores(self) -> np.ndarray:
        last, others = self.n_repeated_ + 1.0, max(len(self.classes_) - 1, 1)
        # slightly less than `last`, so that the last label is predicted
        scores = np.full(len(self.classes_), min((self.n_changed_ + 1.0) / others, 0.999999 * last))
        scores[self.last_] = last
        return scores if self.last_ >= 0 else np.ones(len(scores))
