# cython: infer_types=True
"""The sums over pairs of members from which online coordinate boosting has its confidences."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

# No sum gets smaller, so that its logarithm stays finite.
SMALLEST = cython.declare(cython.double, 1e-12)
# No weight gets larger. Where a sum does, all are scaled down, which changes no ratio of them.
LARGEST = cython.declare(cython.double, 1e12)
SCALED_BY = cython.declare(cython.double, 1e-6)
# No row moves a confidence farther, whatever the sums say.
LONGEST_MOVE = cython.declare(cython.double, 1.0)


@cython.final
@cython.cclass
class CoordinateSums:
    """A view of the sums of an engine, which keeps them, with the row that passes.

    Parameters
    ----------
    right, wrong : float arrays of shape (members, order + 1)
        The weights, each at a member's stage, of the rows so far that it gets right, or wrong:
        column ``order`` is for the member itself, column ``order - k`` for it and the k-th before
        together.

    Attributes
    ----------
    hit : uint8 array
        Who is right about the row in hand.
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
        """Return what the confidence of member j is by its sums."""
        return 0.5 * (log(self.right[j, self.order] / self.wrong[j, self.order]) + chance)

    def move(self, j, d, alpha, chance):
        """Take in a row of weight `d` at stage j; return member j's confidence, now `alpha`."""
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
        """Return the weight at the next stage of a row of weight `d` at stage j."""
        return min(d * exp(-alpha if self.hit[j] else alpha), LARGEST)

    def end(self):
        """Scale all sums down, if one has become too large."""
        if self.largest > LARGEST:
            for j in range(self.right.shape[0]):
                for c in range(self.order + 1):
                    self.right[j, c] *= SCALED_BY
                    self.wrong[j, c] *= SCALED_BY
        self.largest = 0.0

    def _rescale(self, j):
        """Let the sums of member j follow this row's changes of earlier confidences.

        A change ``da`` of member k multiplies the weight of a row by ``exp(-da)`` where k is right
        and ``exp(da)`` where it is wrong. Of the rows that j gets right a share q is right by k
        too, of those that it gets wrong a share r is wrong by k too.
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
    """Return the share of the weight at its stage that each member gets wrong."""
    right, wrong = np.asarray(right)[:, -1], np.asarray(wrong)[:, -1]
    return wrong / (right + wrong)
