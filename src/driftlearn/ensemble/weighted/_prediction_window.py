# cython: infer_types=True
"""Accuracy of a model over its latest predictions and over the preceding window."""

from statistics import NormalDist

import cython
import numpy as np

from driftlearn.base._engine import Engine
from driftlearn.io.schema import InvalidStateError, integer, integers

MOST_PREDICTIONS = 2**62  # more than any stream has


@cython.cclass
class PredictionWindow(Engine):
    """Correctness of the latest predictions of a model, in two consecutive windows of equal size.

    Parameters
    ----------
    size : int
        Number of predictions in a window.

    Attributes
    ----------
    correct : uint8 array of shape (2 * size,)
        Whether the n-th prediction was correct, in a ring buffer: at position n modulo twice the
        size.
    n_predictions, n_kept : int
        Number of predictions so far; number of predictions in both windows.
    right : int
        Number of correct predictions among the latest `size`.
    before : int
        Number of correct predictions in the preceding window.

    Examples
    --------
    >>> window = PredictionWindow(2)
    >>> for right in (True, False, True, True, True):
    ...     window.update(right)
    >>> print(window.accuracy, window.right, window.before)
    1.0 2 1
    """

    STATE = {
        "correct": integers("places", least=0, below=2),
        "n_predictions": integer(0, MOST_PREDICTIONS),
        "n_kept": integer(0),
    }

    def __init__(self, size):
        self.correct = np.zeros(2 * size, dtype=np.uint8)
        self.n_predictions = 0
        self.n_kept = 0
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise InvalidStateError unless the windows have room for all predictions."""
        places = len(state["correct"])
        if places < 2 or places % 2 or state["n_kept"] > min(places, state["n_predictions"]):
            raise InvalidStateError(
                "the stored predictions do not fit into two windows of equal size"
            )

    def _prepare(self):
        self.size = len(self.correct) // 2
        newest = (self.n_predictions - 1 - np.arange(self.n_kept)) % (2 * self.size)
        latest = np.asarray(self.correct)[newest]
        self.right = int(latest[: self.size].sum())
        self.before = int(latest[self.size :].sum())

    @property
    def accuracy(self):
        """Share of correct predictions in the latest window; 1/2 before the first prediction."""
        return self.share()

    def share(self):
        """Return the accuracy."""
        n: cython.double = min(self.n_kept, self.size)
        return self.right / n if n > 0.0 else 0.5

    def update(self, right):
        """Add a prediction."""
        place: cython.Py_ssize_t = self.n_predictions % (2 * self.size)
        if self.n_kept == 2 * self.size:
            self.before -= self.correct[place]
        else:
            self.n_kept += 1
        # the oldest entry of the latest window moves to the preceding window
        if self.n_kept > self.size:
            older: cython.Py_ssize_t = (place + self.size) % (2 * self.size)
            self.right -= self.correct[older]
            self.before += self.correct[older]
        self.correct[place] = right
        self.right += right
        self.n_predictions += 1

    def drop_older(self):
        """Discard the preceding window."""
        self.n_kept = min(self.n_kept, self.size)
        self.before = 0


def wilson(n, alpha):
    """Return the lower bounds of Wilson's score intervals for 0, 1, ..., n successes out of n.

    Examples
    --------
    >>> wilson(2, 0.05).round(3)
    array([0.   , 0.095, 0.342])
    """
    z = NormalDist().inv_cdf(1.0 - alpha / 2.0)
    zz = z * z
    p = np.arange(n + 1) / n
    half = z * np.sqrt(p * (1.0 - p) / n + zz / (4 * n * n))
    return (p + zz / (2 * n) - half) / (1.0 + zz / n)
