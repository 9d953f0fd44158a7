# cython: infer_types=True
"""How often a model was right in its newest answers, and in as many before them."""

from statistics import NormalDist

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._engine import Engine

from driftlearn.io.schema import InvalidStateError, integer, integers

MOST_ANSWERS = 2**62  # more than any stream has rows


@cython.cclass
class AnswerWindow(Engine):
    """The newest answers of a model, right or wrong, in two windows of the same size.

    Parameters
    ----------
    size : int
        Answers in a window.

    Attributes
    ----------
    answers : uint8 array of shape (2 * size,)
        Whether the n-th answer was right, at place n modulo twice the size.
    asked, kept : int
        All answers so far; those that count, the newest.
    right : int
        How many of the newest `size` were right.
    before : int
        How many of those before them.

    Examples
    --------
    >>> window = AnswerWindow(2)
    >>> for right in (True, False, True, True, True):
    ...     window.update(right)
    >>> print(window.accuracy, window.right, window.before)
    1.0 2 1
    """

    STATE = {
        "answers": integers("places", least=0, below=2),
        "asked": integer(0, MOST_ANSWERS),
        "kept": integer(0),
    }

    def __init__(self, size):
        self.answers = np.zeros(2 * size, dtype=np.uint8)
        self.asked = 0
        self.kept = 0
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise ValueError unless there are two windows, and as many answers as are kept."""
        places = len(state["answers"])
        if places < 2 or places % 2 or state["kept"] > min(places, state["asked"]):
            raise InvalidStateError("answers that are not those of two windows")

    def _prepare(self):
        self.size = len(self.answers) // 2
        newest = (self.asked - 1 - np.arange(self.kept)) % (2 * self.size)
        said = np.asarray(self.answers)[newest]
        self.right = int(said[: self.size].sum())
        self.before = int(said[self.size :].sum())

    @property
    def accuracy(self):
        """Share of right ones among the newest answers; 1/2 where there are none."""
        return self.share()

    def share(self):
        """Return the accuracy."""
        n: cython.double = min(self.kept, self.size)
        return self.right / n if n > 0.0 else 0.5

    def update(self, right):
        """Take in an answer."""
        place: cython.Py_ssize_t = self.asked % (2 * self.size)
        if self.kept == 2 * self.size:
            self.before -= self.answers[place]
        else:
            self.kept += 1
        if self.kept > self.size:  # one of the newest is so no longer
            older: cython.Py_ssize_t = (place + self.size) % (2 * self.size)
            self.right -= self.answers[older]
            self.before += self.answers[older]
        self.answers[place] = right
        self.right += right
        self.asked += 1

    def forget_older(self):
        """Let the newest answers be all that there are."""
        self.kept = min(self.kept, self.size)
        self.before = 0


def wilson(n, alpha):
    """Return the lower ends of Wilson's intervals around 0, 1, ..., n right answers out of n.

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
