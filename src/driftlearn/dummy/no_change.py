"""No change: the next label is the last one."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.dummy._blind import BlindClassifier
from driftlearn.io.schema import Field, InvalidStateError, integer


class NoChangeClassifier(BlindClassifier):
    """No change: repeats the last label that it learned, whatever the features say.

    Where rows are tested and learned one by one this is the label of the row before; where they
    come in chunks, all rows of a chunk are given the last label of the chunk before. On streams
    whose labels come in runs, as electricity's do, it beats most learners row by row;
    kappa-temporal measures what a learner knows beyond it.

    Attributes
    ----------
    classes_ : ndarray
        The labels known, sorted.
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

    STATE: ClassVar[dict[str, Field]] = {**StreamClassifier.STATE, "last_": integer(0)}
    last_: int

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the last label is one of the known."""
        if state.get("last_", 0) >= max(len(state.get("classes_", ())), 1):
            raise InvalidStateError("a last label that is none of the known classes")

    def _begin(self) -> None:
        self.last_ = 0

    def _widen(self, positions: np.ndarray) -> None:
        self.last_ = int(positions[self.last_])

    def _see(self, y: np.ndarray, w: np.ndarray) -> None:
        self.last_ = int(y[-1])

    def _answers(self) -> np.ndarray:
        answers = np.zeros(len(self.classes_))
        answers[self.last_] = 1.0
        return answers
