"""A single row, and its label, out of NumPy's arrays: the gate for rows that come one by one.

Compiled, they are read through the buffer protocol, which costs a tenth of what memoryviews do.
"""

import cython

if not cython.compiled:
    import numpy as np

    FLOATS, INTEGERS = np.dtype(np.float64), np.dtype(np.int64)

    def take_values(X, room, most):
        """Write a single row to `room`; say whether it is one that can be taken as it is.

        That is a C-ordered float64 array of NumPy's own type, of one row as long as `room`, with
        numbers only, whose squares add up to that of `most` at the most.
        """
        if type(X) is not np.ndarray or X.dtype is not FLOATS or X.shape != (1, len(room)):
            return False
        if not X.flags.c_contiguous:
            return False
        room[:] = X[0]
        with np.errstate(over="ignore", invalid="ignore"):
            return bool((X[0] * X[0]).sum() <= most * most)

    def take_label(y, room):
        """Write a single label to `room`; say whether it is one: an int64 array of one value."""
        if type(y) is not np.ndarray or y.dtype is not INTEGERS or y.shape != (1,):
            return False
        room[0] = y[0]
        return True
