# cython: infer_types=True
"""Sorting of feature columns, once for all trees grown on a chunk."""

import cython
import numpy as np

Index = cython.typedef(cython.Py_ssize_t)


def presort(X, first=0):
    """Return the rows of a chunk in ascending order of each column.

    Parameters
    ----------
    X : float64 array (n, d)
    first : int
        The first column to sort.

    Returns
    -------
    order : int32 array (d, n)
        The row numbers by ascending value of each column, nan last; the sort is stable.

    Examples
    --------
    >>> import numpy as np
    >>> presort(np.array([[2.0, 1.0], [0.5, 1.0], [1.0, 0.0]]))
    array([[1, 2, 0],
           [2, 0, 1]], dtype=int32)
    """
    bits: cython.const[cython.ulonglong][:, ::1] = np.ascontiguousarray(X).view(np.uint64)
    n = bits.shape[0]
    begin: cython.Py_ssize_t = first
    end: cython.Py_ssize_t = bits.shape[1]
    result = np.empty((end - begin, n), dtype=np.int32)
    order: cython.int[:, ::1] = result
    keys: cython.ulonglong[:, ::1] = np.empty((3, n), dtype=np.uint64)
    places: cython.int[:, ::1] = np.empty((8, 256), dtype=np.int32)
    with cython.nogil:
        for f in range(begin, end):
            _make_keys(bits, f, keys[0])
            done = _sort_two_values(keys[0], order[f - begin])
            done = done or _sort_by_leading_bits(keys, places, order[f - begin])
            if not done:
                _sort_bytewise(keys, places, order[f - begin])
    return result


def thinned(order, rows):
    """Return the order of the rows in a boolean mask, given the `presort` order of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> thinned(np.array([[1, 2, 0]], dtype=np.int32), np.array([True, False, True]))
    array([[1, 0]], dtype=int32)
    """
    places: cython.const[cython.int][::1] = np.where(rows, np.cumsum(rows) - 1, -1).astype(np.int32)
    before: cython.const[cython.int][:, ::1] = order
    result = np.empty((before.shape[0], np.count_nonzero(rows)), dtype=np.int32)
    after: cython.int[:, ::1] = result
    with cython.nogil:
        for f in range(before.shape[0]):
            k: cython.Py_ssize_t = 0
            for i in range(before.shape[1]):
                if places[before[f, i]] >= 0:
                    after[f, k] = places[before[f, i]]
                    k += 1
    return result


def _make_keys(bits, f, keys):
    """Convert the bits of floats to integers of the same order; -0 becomes 0, nan the largest."""
    sign: cython.ulonglong = 1
    sign <<= 63
    greatest: cython.ulonglong = sign - 1
    infinity: cython.ulonglong = 0x7FF
    infinity <<= 52
    for i in range(bits.shape[0]):
        key = bits[i, f]
        if key == sign:
            key = 0
        if key & greatest > infinity:
            key = greatest
        keys[i] = ~key if key & sign else key | sign


def _sort_two_values(keys, order):
    """Sort the column if it has at most two distinct values; return whether it does."""
    n = keys.shape[0]
    if n == 0:
        return True
    first: cython.ulonglong = keys[0]
    n_first: Index = 1
    while n_first < n and keys[n_first] == first:
        n_first += 1
    other: cython.ulonglong = first if n_first == n else keys[n_first]
    for i in range(n_first, n):
        if keys[i] != other:
            if keys[i] != first:
                return False
            n_first += 1
    low: cython.ulonglong = min(first, other)
    at: Index = 0
    beyond: Index = n_first if first == low else n - n_first
    for i in range(n):
        is_low: Index = keys[i] == low
        order[at if is_low else beyond] = i
        at += is_low
        beyond += 1 - is_low
    return True


def _sort_by_leading_bits(keys, places, order):
    """Sort ``keys[0]`` by the first 24 bits that differ, then by insertion.

    In most columns few rows share these bits. With more than four moves per row, insertion sort
    would be slower than further radix passes: then it stops and returns False.
    """
    n = keys.shape[1]
    differ: cython.ulonglong = 0
    one: cython.ulonglong = 1
    lower: cython.ulonglong = (one << 32) - 1  # mask of the 32 bits that hold the row number
    shift: cython.int = 0
    now: Index = 1
    place: cython.int
    for i in range(n):
        differ |= keys[0, i] ^ keys[0, 0]
    while differ >> shift >= one << 24:
        shift += 1
    places[:3, :] = 0
    for i in range(n):
        key = (keys[0, i] >> shift) & 0xFFFFFF
        keys[1, i] = key << 32 | i
        places[0, key & 255] += 1
        places[1, (key >> 8) & 255] += 1
        places[2, key >> 16] += 1
    for byte in range(3):
        if places[byte, (keys[now, 0] >> 32 + 8 * byte) & 255] == n:
            continue
        place = 0
        for digit in range(256):
            count = places[byte, digit]
            places[byte, digit] = place
            place += count
        for i in range(n):
            key = keys[now, i]
            place = places[byte, (key >> 32 + 8 * byte) & 255]
            places[byte, (key >> 32 + 8 * byte) & 255] = place + 1
            keys[3 - now, place] = key
        now = 3 - now
    n_moves: Index = 0
    for i in range(n):
        row: cython.int = keys[now, i] & lower
        key = keys[0, row]
        k: Index = i
        while k > 0 and keys[0, order[k - 1]] > key:
            order[k] = order[k - 1]
            k -= 1
        order[k] = row
        n_moves += i - k
        if n_moves > 4 * n:
            return False
    return True


def _sort_bytewise(keys, places, order):
    """Sort ``keys[0]`` by radix, lowest byte first; bytes shared by all keys are skipped."""
    n = keys.shape[1]
    now: Index = 1
    place: cython.int
    places[:, :] = 0
    for i in range(n):
        keys[1, i] = i
        for byte in range(8):
            places[byte, (keys[0, i] >> 8 * byte) & 255] += 1
    for byte in range(8):
        if places[byte, (keys[0, 0] >> 8 * byte) & 255] == n:
            continue
        place = 0
        for digit in range(256):
            count = places[byte, digit]
            places[byte, digit] = place
            place += count
        for i in range(n):
            row: Index = keys[now, i]
            digit = (keys[0, row] >> 8 * byte) & 255
            keys[3 - now, places[byte, digit]] = row
            places[byte, digit] += 1
        now = 3 - now
    for i in range(n):
        order[i] = keys[now, i]
