# cython: infer_types=True
"""Sliding window over the rows of a stream, in contiguous arrays."""

import cython
import numpy as np

from driftlearn.base._engine import restore
from driftlearn.base._presort import presort
from driftlearn.io.schema import InvalidStateError, floats, integer, integers
from driftlearn.utils._class_axis import widened

MAX_BYTES = 2**30  # maximum buffer size of a loaded window, which may be larger than its file


@cython.cclass
class RowWindow:
    """Sliding window over the newest rows, oldest first, with the members' predictions for them.

    The window moves through a buffer of twice its size and is copied to the front when it reaches
    the end. Rows are therefore always contiguous and ordered by age, at a constant average cost per
    row.

    `sort` updates the order of the rows by each feature: dropped rows are removed and new rows
    inserted. After many changes the columns are sorted from scratch.

    Parameters
    ----------
    n_features, n_classes : int
        Number of columns of every `X`; number of class codes.
    size : int
        Maximum number of rows.

    Attributes
    ----------
    n : int
        Number of rows in the window.
    start : int
        Position of the oldest row in the buffer.
    X, y, w : arrays
        The buffer: features, class codes, weights.
    codes : int16 array of shape (2 * size, at least members)
        The class code that each member predicts for each row.
    n_members : int
        Number of members.
    count : int array of shape (n_classes,)
        Number of rows of each class.
    n_present : int
        Number of classes that occur in the window.

    Examples
    --------
    >>> window = RowWindow(n_features=1, n_classes=2, size=2)
    >>> X = np.array([[3.0], [1.0], [2.0]])
    >>> for i in range(3):
    ...     window.append(X, i, i % 2, 1.0)
    >>> window.rows().tolist(), window.labels().tolist()
    ([[1.0], [2.0]], [1, 0])
    """

    STATE = {
        "n_features": integer(1), "n_classes": integer(0), "size": integer(1),
        "X": floats("n", "n_features", missing=True),
        "y": integers("n", least=0, below="n_classes"),
        "w": floats("n", least=0), "codes": integers("n", "members", least=0, below="n_classes"),
    }  # fmt: skip

    def __init__(self, n_features, n_classes, size):
        self.n_features = n_features
        self.n_classes = n_classes
        self.size = size
        self.n = 0
        self.start = 0
        self.X = np.empty((2 * size, n_features))
        self.y = np.empty(2 * size, dtype=np.intp)
        self.w = np.empty(2 * size)
        self.codes = np.zeros((2 * size, 8), dtype=np.int16)
        self.n_members = 0
        self.count = np.zeros(n_classes, dtype=np.intp)
        self.n_present = 0
        self.order = np.empty((n_features, 0), dtype=np.int32)
        self.n_left = 0

    def append(self, X, i, y, w):
        """Append row `i` of `X`, and drop the oldest row if the window is full."""
        if self.n == self.size:
            self.shrink(self.size - 1)
        if self.start + self.n == self.X.shape[0]:
            self._to_front()
        last = self.start + self.n
        for f in range(self.n_features):
            self.X[last, f] = X[i, f]
        self.y[last] = y
        self.w[last] = w
        self.n_present += self.count[y] == 0
        self.count[y] += 1
        self.n += 1

    def shrink(self, n):
        """Drop the oldest rows until `n` are left."""
        while self.n > n:
            y = self.y[self.start]
            self.count[y] -= 1
            self.n_present -= self.count[y] == 0
            self.start += 1
            self.n -= 1
            self.n_left += 1

    def _to_front(self):
        for i in range(self.n):
            for f in range(self.n_features):
                self.X[i, f] = self.X[self.start + i, f]
            self.y[i] = self.y[self.start + i]
            self.w[i] = self.w[self.start + i]
            for j in range(self.n_members):
                self.codes[i, j] = self.codes[self.start + i, j]
        self.start = 0

    def sort(self):
        """Update `order`, the rows in ascending order of each feature."""
        n_sorted: cython.Py_ssize_t = self.order.shape[1]
        # Insertion costs O(n) per new row, and sorting O(n log n) for all: after many changes,
        # sorting from scratch is faster.
        if self.n != n_sorted or self.n_left > n_sorted // 8:
            self.order = presort(self.rows())
        elif self.n_left > 0:
            for f in range(self.n_features):
                self._sort_column(f)
        self.n_left = 0

    def _sort_column(self, f):
        place: cython.Py_ssize_t = 0
        for k in range(self.n):
            # Positions count from the oldest row, so the dropped rows become negative.
            i = self.order[f, k] - self.n_left
            if i >= 0:
                self.order[f, place] = i
                place += 1
        while place < self.n:
            x = self.X[self.start + place, f]
            k = place
            while k > 0 and _comes_after(self.X[self.start + self.order[f, k - 1], f], x):
                self.order[f, k] = self.order[f, k - 1]
                k -= 1
            self.order[f, k] = place
            place += 1

    def add_member(self, codes):
        """Add a member with its class codes for the rows."""
        wide = self.codes.shape[1]
        if self.n_members == wide:
            wider = np.zeros((2 * self.size, 2 * wide), dtype=np.int16)
            wider[:, :wide] = self.codes
            self.codes = wider
        for i in range(self.n):
            self.codes[self.start + i, self.n_members] = codes[i]
        self.n_members += 1

    def select_members(self, index, n_kept):
        """Keep only the members at these ascending positions."""
        for i in range(self.start, self.start + self.n):
            for k in range(n_kept):
                self.codes[i, k] = self.codes[i, index[k]]
        self.n_members = n_kept

    def resampled(self, rows):
        """Return a window with the rows at these positions, in this order, with weight 1."""
        window: RowWindow = RowWindow(self.n_features, self.n_classes, rows.shape[0])
        for k in range(rows.shape[0]):
            i = self.start + rows[k]
            window.append(self.X, i, self.y[i], 1.0)
        return window

    def rows(self):
        """Return the features of the rows, oldest first."""
        return np.asarray(self.X)[self.start : self.start + self.n]

    def labels(self):
        """Return the class codes of the rows, oldest first."""
        return np.asarray(self.y)[self.start : self.start + self.n]

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.n_classes = n_classes
        self.count = widened(self.count, positions, n_classes)
        here = slice(self.start, self.start + self.n)
        for array in (np.asarray(self.y), np.asarray(self.codes)[:, : self.n_members]):
            array[here] = np.asarray(positions)[array[here]]

    def get_state(self):
        """Return the rows, weights and predictions as a dict of arrays and numbers."""
        here = slice(self.start, self.start + self.n)
        state = {name: getattr(self, name) for name in ("n_features", "n_classes", "size")}
        arrays = {"X": self.X, "y": self.y, "w": self.w, "codes": self.codes[:, : self.n_members]}
        return state | {name: np.asarray(each)[here].copy() for name, each in arrays.items()}

    def set_state(self, state):
        """Restore from `get_state`."""
        self.__init__(int(state["n_features"]), int(state["n_classes"]), int(state["size"]))
        n = len(state["y"])
        np.asarray(self.X)[:n] = state["X"]
        np.asarray(self.y)[:n] = state["y"]
        np.asarray(self.w)[:n] = state["w"]
        self.n = n
        for column in np.array(state["codes"], dtype=np.int16).T:
            self.add_member(np.ascontiguousarray(column))
        for codes in (self.labels(), np.asarray(state["codes"])):
            if ((codes < 0) | (codes >= self.n_classes)).any():
                raise ValueError(f"a class code is out of range for {self.n_classes} classes")
        self.count = np.bincount(self.labels(), minlength=self.n_classes)
        self.n_present = np.count_nonzero(self.count)

    @staticmethod
    def check_state(state):
        """Raise InvalidStateError if the window holds too many rows or exceeds memory."""
        n_bytes = 16 * state["size"] * (state["n_features"] + state["codes"].shape[1] + 8)
        n_bytes += 8 * state["n_classes"]
        if len(state["y"]) > state["size"] or n_bytes > MAX_BYTES:
            raise InvalidStateError(
                f"a window of size {state['size']} cannot hold {len(state['y'])} rows"
            )

    def __reduce__(self):
        return restore, (RowWindow, self.get_state())


def _comes_after(a, b):
    """Return whether `a` sorts after `b`; nan sorts last."""
    return a > b or (a != a and b == b)
