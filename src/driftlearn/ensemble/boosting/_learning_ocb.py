# cython: infer_types=True
"""Online coordinate boosting with incrementally trained members."""

import cython
import numpy as np
from cython.cimports.libc.math import log

if not cython.compiled:
    from driftlearn.ensemble._row_engine import RowEngine
    from driftlearn.ensemble.boosting._coordinate_sums import CoordinateSums
    from driftlearn.utils._row_pointers import row_at, start_of

from driftlearn.ensemble._committee_checks import check_columns
from driftlearn.ensemble.boosting._coordinate_sums import errors
from driftlearn.io.schema import InvalidStateError, floats

COLUMNS = ("weight",)
WEIGHT = cython.declare(cython.int, 2)
# Limit on the training weight of a row, relative to its own weight. A row that all earlier members
# misclassify would otherwise dominate a member's training.
MOST_WEIGHT = cython.declare(cython.double, 100.0)


@cython.final
@cython.cclass
class LearningOCB(RowEngine):
    """Online coordinate boosting engine with incrementally trained members.

    Confidences are computed from the sums as for fixed members. As in OnlineBoost, a member is
    tested on a row after training on it.

    Parameters
    ----------
    committee : OnlineCommittee
        The untrained members, with the columns `COLUMNS`.
    order : int
        Number of preceding members whose changes are applied to a member's sums.
    smoothing : float
        Initial value of all sums.

    Attributes
    ----------
    right, wrong : float arrays of shape (members, order + 1)
        Column ``order`` is for the member itself; column ``order - k`` is for it and the k-th
        member before it.
    """

    STATE = {
        "committee": RowEngine.STATE["committee"],
        "right": floats("members", "order", least=0),
        "wrong": floats("members", "order", least=0),
    }

    def __init__(self, committee, order, smoothing):
        shape = len(committee), min(order, len(committee) - 1) + 1
        self.right = np.full(shape, smoothing, dtype=float)
        self.wrong = np.full(shape, smoothing, dtype=float)
        RowEngine.__init__(self, committee, None)

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the sums match the number of members."""
        check_columns(state["committee"], COLUMNS)
        n_members = len(state["committee"])
        if len(state["right"]) != n_members or not 1 <= state["right"].shape[1] <= n_members:
            raise InvalidStateError(f"The sums of OCB do not match its {n_members} members.")

    def _prepare(self):
        RowEngine._prepare(self)
        self.soft = True
        self.sums = CoordinateSums(self.right, self.wrong)

    def _learn_row(self, i, votes):
        if self.keeps_votes:
            self.committee.weigh_by(WEIGHT)
            self.combine(row_at(self.X, i), start_of(votes))
        self.committee.mark_seen(self.y[i])
        self._boost(row_at(self.X, i), self.y[i], self.w[i])
        return 0

    def _boost(self, row, y, w):
        """Train each member in turn on a row, test it on the row, and update its confidence."""
        numbers: cython.double[:, ::1] = self.committee.numbers
        chance: cython.double = self._chance()
        d: cython.double = w
        for j in range(numbers.shape[0]):
            self.committee.update_tested_row(j, row, y, min(d, MOST_WEIGHT * w))
            self.sums.hit[j] = self.committee.predict_once(j, row) == y
            numbers[j, WEIGHT] = self.sums.move(j, d, numbers[j, WEIGHT], chance)
            d = self.sums.passed_on(j, d, numbers[j, WEIGHT])
        self.sums.end()

    def _chance(self):
        """Return ln(K - 1) for the K classes seen so far, the multi-class term of SAMME."""
        K: cython.double = 0.0
        for c in range(self.committee.n_classes):
            K += self.committee.seen_classes[c]
        return log(max(2.0, K) - 1.0)

    def errors(self):
        """Return the error of each member, with rows weighted as at its stage."""
        return errors(self.right, self.wrong)
