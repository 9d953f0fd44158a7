# cython: infer_types=True
"""The compiled category search and training of fuzzy ARTMAP.

Weights are stored transposed, with one row per coordinate, so that neighboring categories are
compared with a row by vector instructions. Each category's sum still adds coordinates in order.
"""

import sys

import cython
import numpy as np

INF = cython.declare(cython.double, np.inf)
NOT_PREDICTED = cython.declare(cython.Py_ssize_t, -2)


def learn(
    weights, labels, learned, codes, y, order, choice, rate, vigilance, increment,
    before=0, most=None, predicted=None,
):  # fmt: skip
    """Present rows in order and return the updated categories.

    Categories that pass the vigilance test are tried by decreasing choice value. If a category has
    the row's class, it is moved towards the row; otherwise the vigilance is raised above its match
    for the rest of the row (match tracking), and the next category is tried. If no category is
    left, the row creates a new category; if the maximum is reached, the new category replaces the
    least recently updated one.

    Parameters
    ----------
    weights : float array of shape (categories, 2 d)
        The categories so far; not modified.
    labels : intp array of shape (categories,)
        Their class codes.
    learned : int64 array of shape (categories,)
        The presentation, numbered from 1, at which each category was last updated.
    codes : float array of shape (n, 2 d)
        Complement-coded rows.
    y : intp array of shape (n,)
        Class codes.
    order : intp array
        The rows in the order of presentation, repeats allowed.
    choice, rate, vigilance, increment : float
        Choice parameter, learning rate, baseline vigilance and match-tracking increment.
    before : int
        Number of earlier presentations.
    most : int, optional
        Maximum number of categories.
    predicted : intp array of shape (n,), optional
        Output: the class code predicted for each row before its first presentation; -1 if there
        were no categories.

    Returns
    -------
    weights, labels, learned : arrays
        The categories after the last row.

    Examples
    --------
    >>> codes = np.array([[0.2, 0.8], [0.4, 0.6], [0.9, 0.1]])
    >>> y = np.array([0, 0, 1])
    >>> nothing = np.empty((0, 2)), np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int64)
    >>> learn(*nothing, codes, y, np.arange(3), 0.001, 1.0, 0.5, 0.001)
    (array([[0.2, 0.6], [0.9, 0.1]]), array([0, 1]), array([2, 3]))
    """
    most = sys.maxsize if most is None else min(most, sys.maxsize)
    n = len(weights)
    wide = _wide(weights, max(8, n))
    labels = np.pad(labels, (0, wide.shape[1] - n))
    learned = np.pad(np.asarray(learned, dtype=np.int64), (0, wide.shape[1] - n))
    if predicted is not None:
        predicted[:] = NOT_PREDICTED
    done = 0
    while True:
        done, n = _present(
            wide, _sizes(wide), labels, learned, codes, y, order, choice, rate, vigilance,
            increment, before, most, done, n, predicted,
        )  # fmt: skip
        if done == len(order):
            return wide[:, :n].T.copy(), labels[:n].copy(), learned[:n].copy()
        # Doubling the capacity keeps the cost per category constant. Uncommitted weights are one.
        wide = np.hstack([wide, np.ones_like(wide)])
        labels = np.concatenate([labels, np.zeros_like(labels)])
        learned = np.concatenate([learned, np.zeros_like(learned)])


def choose(weights, codes, choice):
    """Return the category with the largest choice value for each row; -1 without categories.

    Parameters
    ----------
    weights : float array of shape (categories, 2 d)
        The categories; the first one wins a tie.
    codes : float array of shape (n, 2 d)
        Complement-coded rows.
    choice : float
        The choice parameter.

    Returns
    -------
    intp array of shape (n,)

    Examples
    --------
    >>> choose(np.array([[0.2, 0.6], [0.9, 0.1]]), np.array([[0.3, 0.7], [0.8, 0.2]]), 0.001)
    array([0, 1])
    """
    wide = _wide(weights, len(weights))
    winners = np.empty(len(codes), dtype=np.intp)
    _choose(wide, _sizes(wide), codes, choice, winners)
    return winners


def _wide(weights, capacity):
    """Return the weights with one column per category; uncommitted ones have weights of one."""
    wide = np.ones((weights.shape[1], capacity))
    wide[:, : len(weights)] = weights.T
    return wide


def _sizes(wide):
    """Return the sum of each category's weights, added in order."""
    sizes = np.zeros(wide.shape[1])
    for coordinate in wide:
        sizes += coordinate
    return sizes


def _present(
    wide, sizes, labels, learned, codes, y, order, choice, rate, vigilance, increment, before, most,
    done, n, predicted,
):  # fmt: skip
    """Present rows from position `done` on, while there is capacity for one more category."""
    half: cython.double = codes.shape[1] // 2
    predicts: cython.bint = predicted is not None
    choices: cython.double[::1] = np.empty(len(sizes))
    matches: cython.double[::1] = np.empty(len(sizes))
    with cython.nogil:
        while done < order.shape[0] and (n < sizes.shape[0] or n >= most):
            row = order[done]
            _compare(wide, sizes, codes[row], choice, n, choices, matches)
            if predicts and predicted[row] == NOT_PREDICTED:
                j = _next(choices, matches, n, -1.0, -1)
                predicted[row] = labels[j] if j >= 0 else -1
            for k in range(n):
                matches[k] /= half
            rho = vigilance
            j = _next(choices, matches, n, rho, -1)
            while j >= 0 and labels[j] != y[row]:
                # Match tracking: the increment makes the rejected category fail the test from now
                # on.
                rho = matches[j] + increment
                j = _next(choices, matches, n, rho, j)
            if j >= 0:
                sizes[j] = _move(wide, j, codes[row], rate)
            else:
                if n < most:
                    j = n
                    n += 1
                else:
                    j = _oldest(learned, n)
                    wide[:, j] = 1.0
                # Fast commitment: a new category is the row itself, whatever the learning rate,
                # because the minimum of the row and weights of one is the row.
                sizes[j] = _move(wide, j, codes[row], 1.0)
                labels[j] = y[row]
            done += 1
            learned[j] = before + done
    return done, n


def _choose(wide, sizes, codes, choice, winners):
    choices: cython.double[::1] = np.empty(len(sizes))
    matches: cython.double[::1] = np.empty(len(sizes))
    with cython.nogil:
        for i in range(codes.shape[0]):
            _compare(wide, sizes, codes[i], choice, sizes.shape[0], choices, matches)
            winners[i] = _next(choices, matches, sizes.shape[0], -1.0, -1)


def _compare(wide, sizes, code, choice, n, choices, overlaps):
    """Write every category's overlap with the row, ``|I ^ w|``, and its choice value."""
    for k in range(n):
        overlaps[k] = 0.0
    # Two coordinates per pass halve the reads and writes of the sums; the order of additions stays.
    for f in range(0, wide.shape[0], 2):
        x = code[f]
        z = code[f + 1]
        for k in range(n):
            overlaps[k] = overlaps[k] + min(x, wide[f, k]) + min(z, wide[f + 1, k])
    for k in range(n):
        choices[k] = overlaps[k] / (choice + sizes[k])


def _next(choices, matches, n, rho, after):
    """Return the next category that passes the vigilance `rho`; -1 if there is none.

    Categories are tried in the order of decreasing choice value, the lowest index first on ties;
    `after` is the category tried last, initially -1.
    """
    best: cython.Py_ssize_t = -1
    highest: cython.double = -1.0
    # Few categories are tried per row, so a linear search for the next one beats sorting them all.
    last: cython.double = choices[after] if after >= 0 else INF
    for k in range(n):
        value = choices[k]
        if (
            value > highest
            and matches[k] >= rho
            and (value < last or (value == last and k > after))
        ):
            best = k
            highest = value
    return best


def _oldest(learned, n):
    """Return the least recently updated category."""
    oldest: cython.Py_ssize_t = 0
    for k in range(1, n):
        if learned[k] < learned[oldest]:
            oldest = k
    return oldest


def _move(wide, j, code, rate):
    """Move category `j` towards its fuzzy intersection with the row; return its new size."""
    size: cython.double = 0.0
    for f in range(wide.shape[0]):
        old = wide[f, j]
        new = rate * min(code[f], old) + (1.0 - rate) * old
        wide[f, j] = new
        size += new
    return size
