"""Rows of matrices as loops hand them on: to compiled code a pointer, which costs nothing.

A memoryview is two hundred bytes, which a call copies; uncompiled, a row is a view of an array.
Either is read and written by the number of a feature or class, and by nothing else.
"""

import cython

if not cython.compiled:

    def row_at(X, i):
        """Return row `i` of a matrix, to be read."""
        return X[i]

    def place_at(out, i):
        """Return row `i` of a matrix, to be written."""
        return out[i]

    def start_of(values):
        """Return an array, to be read or written."""
        return values

    def place_at_3d(out, i, k, f):
        """Return row `k` of matrix `i` from number `f` on, to be read or written."""
        return out[i, k, f:]
