# cython: infer_types=True
"""Sorting the columns of a chunk, once for all the trees that are grown on it."""

import cython
import numpy as np

Index = cython.typedef(cython.Py_ssize_t)


def presort(X):
    """Sort each column of a chunk, once for all the trees that are grown on it.

    Parameters
    ----------
    X : float64 array (n, d)

    Returns
    -------
    order : int32 array (d, n)
        The rows by ascending value of each column, those without one (nan) last; equal values
        keep the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> presort(np.array([[2.0, 1.0], [0.5, 1.0], [1.0, 0.0]]))
    array([[1, 2, 0],
           [2, 0, 1]], dtype=int32)
    """
    bits: cython.const[cython.ulonglong][:, ::1] = np.ascontiguousarray(X.T).view(np.uint64)
    d = bits.shape[0]
    n = bits.shape[1]
    result = np.empty((d, n), dtype=np.int32)
    order: cython.int[:, ::1] = result
    keys: cython.ulonglong[:, ::1] = np.empty((2, n), dtype=np.uint64)
    rows: cython.int[:, ::1] = np.empty((2, n), dtype=np.int32)
    places: cython.int[:, ::1] = np.empty((8, 256), dtype=np.int32)
    with cython.nogil:
        for f in range(d):
            _make_keys(bits[f], keys[0])
            if not _sort_two_values(keys[0], order[f]):
                _sort_bytewise(keys, rows, places, order[f])
    return result


def thinned(order, rows):
    """Return what `presort` returns of the rows in a mask, from what it returned of all.

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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _make_keys(
    bits: cython.const[cython.ulonglong][::1], keys: cython.ulonglong[::1]
) -> cython.void:
    """Turn the bits of floats into integers of the same order, minus zero into zero, nan last."""
    sign: cython.ulonglong = 1
    sign <<= 63
    greatest: cython.ulonglong = sign - 1
    infinity: cython.ulonglong = 0x7FF
    infinity <<= 52
    for i in range(bits.shape[0]):
        key = bits[i]
        if key == sign:
            key = 0
        if key & greatest > infinity:
            key = greatest
        keys[i] = ~key if key & sign else key | sign


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort_two_values(
    keys: cython.const[cython.ulonglong][::1], order: cython.int[::1]
) -> cython.bint:
    """Sort a column of at most two values; say whether it was one."""
    n = keys.shape[0]
    if n == 0:
        return True
    n_low: Index = 0
    n_high: Index = 0
    low: cython.ulonglong = keys[0]
    high: cython.ulonglong = keys[0]
    for i in range(n):
        low = min(low, keys[i])
        high = max(high, keys[i])
    for i in range(n):
        n_low += keys[i] == low
        n_high += keys[i] == high
    if n_low + n_high < n:
        return False
    place: Index = 0
    for i in range(n):
        if keys[i] == low:
            order[place] = i
            place += 1
        else:
            order[n_low + i - place] = i
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort_bytewise(
    keys: cython.ulonglong[:, ::1],
    rows: cython.int[:, ::1],
    places: cython.int[:, ::1],
    order: cython.int[::1],
) -> cython.void:
    """Radix sort of ``keys[0]``, lowest byte first; bytes that all keys share are passed over."""
    n = keys.shape[1]
    now: Index = 0
    place: cython.int
    places[:, :] = 0
    for i in range(n):
        rows[0, i] = i
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
            key = keys[now, i]
            place = places[byte, (key >> 8 * byte) & 255]
            places[byte, (key >> 8 * byte) & 255] = place + 1
            keys[1 - now, place] = key
            rows[1 - now, place] = rows[now, i]
        now = 1 - now
    order[:] = rows[now]
