# cython: infer_types=True
"""Online coordinate boosting with incrementally trained members."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

if not cython.compiled:
    from driftlearn.ensemble._row_engine import RowEngine
    from driftlearn.utils._row_pointers import row_at, start_of

from driftlearn.ensemble._committee_checks import committee_of
from driftlearn.io.schema import InvalidStateError, floats

COLUMNS = ("weight",)
WEIGHT = cython.declare(cython.int, 2)
# Limit on the training weight of a row, relative to its own weight. A row that all earlier members
# misclassify would otherwise dominate a member's training.
MOST_WEIGHT = cython.declare(cython.double, 100.0)

# Lower bound of every sum, so that its logarithm stays finite.
SMALLEST = cython.declare(cython.double, 1e-12)
# Upper bound of weights. If a sum exceeds it, all sums are scaled down. Confidences are unaffected,
# since they depend only on ratios of sums.
LARGEST = cython.declare(cython.double, 1e12)
SCALED_BY = cython.declare(cython.double, 1e-6)
# Largest change of a confidence by one row.
LONGEST_MOVE = cython.declare(cython.double, 1.0)


@cython.final
@cython.cclass
class CoordinateSums:
    """A view of an engine's sums, with working arrays for the current row.

    Parameters
    ----------
    right, wrong : float arrays of shape (members, order + 1)
        Sums of the weights, at the member's stage, of past rows that the member classifies
        correctly and wrongly. Column ``order`` is for the member alone; column ``order - k`` is for
        rows that both it and the k-th member before it classify correctly (or both wrongly).

    Attributes
    ----------
    hit : uint8 array
        Whether each member classifies the current row correctly.
    """

    def __init__(self, right, wrong):
        self.right = right
        self.wrong = wrong
        self.order = right.shape[1] - 1
        m = right.shape[0]
        self.hit = np.zeros(m, dtype=np.uint8)
        self.up = np.ones(m)
        self.down = np.ones(m)
        self.largest = 0.0

    def add(self, j, d):
        """Add a row of weight `d` at stage j to the sums of member j."""
        for k in range(max(0, j - self.order), j + 1):
            if self.hit[j] and self.hit[k]:
                self.right[j, k - j + self.order] += d
            elif not (self.hit[j] or self.hit[k]):
                self.wrong[j, k - j + self.order] += d

    def confidence(self, j, chance):
        """Return the confidence of member j computed from its sums."""
        # AdaBoost's 1/2 ln(right / wrong), plus 1/2 ln(K - 1) for K classes as in SAMME.
        return 0.5 * (log(self.right[j, self.order] / self.wrong[j, self.order]) + chance)

    def move(self, j, d, alpha, chance):
        """Add a row of weight `d` at stage j; return the updated confidence, previously `alpha`."""
        self._rescale(j)
        self.add(j, d)
        for c in range(self.order + 1):
            self.right[j, c] = max(self.right[j, c], SMALLEST)
            self.wrong[j, c] = max(self.wrong[j, c], SMALLEST)
            self.largest = max(self.largest, self.right[j, c], self.wrong[j, c])
        change = self.confidence(j, chance)
        change = min(max(change - alpha, -LONGEST_MOVE), LONGEST_MOVE)
        self.up[j] = exp(change)
        self.down[j] = exp(-change)
        return alpha + change

    def passed_on(self, j, d, alpha):
        """Return the weight at stage j + 1 of a row that has weight `d` at stage j."""
        return min(d * exp(-alpha if self.hit[j] else alpha), LARGEST)

    def end(self):
        """Scale all sums down if one of them is too large."""
        if self.largest > LARGEST:
            for j in range(self.right.shape[0]):
                for c in range(self.order + 1):
                    self.right[j, c] *= SCALED_BY
                    self.wrong[j, c] *= SCALED_BY
        self.largest = 0.0

    def _rescale(self, j):
        """Update the sums of member j for this row's changes of earlier confidences.

        A change ``da`` of member k multiplies the weight of a row by ``exp(-da)`` where k is right
        and ``exp(da)`` where it is wrong. Member k is also right on a share q of the rows that j
        gets right, and also wrong on a share r of the rows that j gets wrong. The factors of
        several members k are multiplied as if they were independent.
        """
        by_right: cython.double = 1.0
        by_wrong: cython.double = 1.0
        for k in range(max(0, j - self.order), j):
            c = k - j + self.order
            q = self.right[j, c] / self.right[j, self.order]
            r = self.wrong[j, c] / self.wrong[j, self.order]
            by_right *= q * self.down[k] + (1 - q) * self.up[k]
            by_wrong *= r * self.up[k] + (1 - r) * self.down[k]
        for c in range(self.order + 1):
            self.right[j, c] *= by_right
            self.wrong[j, c] *= by_wrong


def errors(right, wrong):
    """Return each member's error, with rows weighted as at its stage."""
    right, wrong = np.asarray(right)[:, -1], np.asarray(wrong)[:, -1]
    return wrong / (right + wrong)


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
        "committee": committee_of(COLUMNS),
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
        """Raise InvalidStateError unless the sums match the number of members."""
        n_members = len(state["committee"])
        if not 1 <= state["right"].shape[1] <= n_members:
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

    def member_errors(self):
        """Return the error of each member, with rows weighted as at its stage."""
        return errors(self.right, self.wrong)
