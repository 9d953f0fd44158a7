"""Matrix rows as arguments: pointers in compiled code, array views in uncompiled code.

Pointers are passed because a memoryview is a struct of about 200 bytes, which every call would
copy. Pointers and views are indexed only by feature or class number.
"""

import cython

if not cython.compiled:

    def row_at(X, i):
        """Return row `i` of a matrix for reading."""
        return X[i]

    def place_at(out, i):
        """Return row `i` of a matrix for writing."""
        return out[i]

    def start_of(values):
        """Return an array for reading or writing."""
        return values

    def place_at_3d(out, i, k, f):
        """Return row `k` of matrix `i` from entry `f` on, for reading or writing."""
        return out[i, k, f:]
