"""No-change (persistence) baseline."""

from typing import ClassVar

import numpy as np

from driftlearn.dummy._blind import BlindClassifier
from driftlearn.io.schema import Field, integer


class NoChangeClassifier(BlindClassifier):
    """No change: predicts the last label seen, ignoring the features.

    In row-by-row evaluation this is the label of the previous row; with chunks, all rows of a chunk
    get the last label of the previous chunk. On streams with temporally dependent labels, such as
    the electricity data, it is more accurate than most learners row by row. Kappa-temporal measures
    the improvement over it.

    Attributes
    ----------
    classes_ : ndarray
        The known labels, sorted.
    last_ : int
        The code of the last label.

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

    STATE: ClassVar[dict[str, Field]] = {"last_": integer(0, below="classes")}
    last_: int

    def _begin(self) -> None:
        self.last_ = 0

    def _widen(self, positions: np.ndarray) -> None:
        self.last_ = int(positions[self.last_])

    def _update(self, y: np.ndarray, w: np.ndarray) -> None:
        self.last_ = int(y[-1])

    def _class_scores(self) -> np.ndarray:
        scores = np.zeros(len(self.classes_))
        scores[self.last_] = 1.0
        return scores
