# cython: infer_types=True
"""Online coordinate boosting of members that go on learning."""

import cython
import numpy as np
from cython.cimports.libc.math import log

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.ensemble._online_committee import OnlineCommittee
    from driftlearn.ensemble.boosting._coordinate_sums import CoordinateSums
    from driftlearn.utils._row_pointers import place_at, row_at

from driftlearn.ensemble._committee_checks import check_columns
from driftlearn.ensemble.boosting._coordinate_sums import errors
from driftlearn.io.schema import InvalidStateError, a, floats

COLUMNS = ("weight",)
WEIGHT = cython.declare(cython.int, 2)
# A row that all members before get wrong would be all that a member learns from.
MOST_WEIGHT = cython.declare(cython.double, 100.0)


@cython.final
@cython.cclass
class LearningOCB(Engine):
    """The algorithm with members that go on learning.

    Confidences follow from the sums as with fixed members; what the sums count is whether a
    member is right about a row when it has learned it, as in OnlineBoost.

    Parameters
    ----------
    committee : OnlineCommittee
        The members, which know nothing yet, with the columns `COLUMNS`.
    order : int
        Earlier members whose changes count for a member's sums.
    smoothing : float
        What all sums start from.

    Attributes
    ----------
    right, wrong : float arrays of shape (members, order + 1)
        Column ``order`` is for the member itself, column ``order - k`` for it and the k-th before.
    """

    STATE = {
        "committee": a(OnlineCommittee),
        "right": floats("members", "order", least=0),
        "wrong": floats("members", "order", least=0),
    }

    def __init__(self, committee, order, smoothing):
        self.committee = committee
        shape = len(committee), min(order, len(committee) - 1) + 1
        self.right = np.full(shape, smoothing, dtype=float)
        self.wrong = np.full(shape, smoothing, dtype=float)
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise ValueError unless members and sums fit together."""
        check_columns(state["committee"], COLUMNS)
        n_members = len(state["committee"])
        if len(state["right"]) != n_members or not 1 <= state["right"].shape[1] <= n_members:
            raise InvalidStateError(f"the sums of OCB do not fit its {n_members} members")

    def _prepare(self):
        self.sums = CoordinateSums(self.right, self.wrong)

    def learn(self, X, y, w, scores=None):
        """Learn all rows, in order; the votes on each before that go to `scores`, if given."""
        asked: cython.bint = scores is not None
        committee = self.committee
        for i in range(X.shape[0]):
            committee.begin_row()
            if asked:
                committee.weigh_by(WEIGHT)
                committee.blend_row(row_at(X, i), place_at(scores, i))
            committee.mark_seen(y[i])
            self._boost(row_at(X, i), y[i], w[i])
            committee.n_rows += 1

    def _boost(self, row, y, w):
        """Pass a row along the members: teach, ask, move the confidence."""
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
        """Return ln(K - 1) for the K classes so far."""
        K: cython.double = 0.0
        for c in range(self.committee.n_classes):
            K += self.committee.seen_classes[c]
        return log(max(2.0, K) - 1.0)

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        return self.committee.blend(X, self.committee["weight"])

    def describe(self):
        """Return a table of the members; their errors are by the weights at their stages."""
        return self.committee.describe(errors=errors(self.right, self.wrong))

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.committee.widen(positions, n_classes)
