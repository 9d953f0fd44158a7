# cython: infer_types=True
"""Sums of votes per row and of loss terms per member."""

import cython
import numpy as np
from cython.cimports.libc.math import exp

INF = cython.declare(cython.double, np.inf)


def votes_by_row(votes, codes, alpha, m):
    """Write into `votes`, shape (rows, classes), the sums of confidences of the members.

    Each sum adds members in order. Eight rows are summed at a time because their additions are
    independent and can overlap in the processor.
    """
    n: cython.Py_ssize_t = votes.shape[0]
    row: cython.Py_ssize_t = 0
    votes[:, :] = 0.0
    while row + 8 <= n:
        for j in range(m):
            confidence = alpha[j]
            for i in range(row, row + 8):
                votes[i, codes[i, j]] += confidence
        row += 8
    for i in range(row, n):
        for j in range(m):
            votes[i, codes[i, j]] += alpha[j]


def gains_by_member(sums, codes, pull):
    """Write into `sums`, shape (members, 2), the terms in `pull` of each member's predictions.

    Column 0 sums the terms for correct predictions, column 1 those for wrong ones. Each sum adds
    rows in order.
    """
    n: cython.Py_ssize_t = pull.shape[0]
    row: cython.Py_ssize_t = 0
    sums[:, :] = 0.0
    while row < n:
        stop: cython.Py_ssize_t = min(row + 8, n)
        for j in range(sums.shape[0]):
            right: cython.double = sums[j, 0]
            wrong: cython.double = sums[j, 1]
            for i in range(row, stop):
                c = codes[i, j]
                right += pull[i, c, 0]
                wrong += pull[i, c, 1]
            sums[j, 0] = right
            sums[j, 1] = wrong
        row = stop


def soften(votes, scale):
    """Turn votes into probabilities proportional to exp(scale * votes), row by row, in place.

    If all votes of a row are -inf, its probabilities are 0.
    """
    for i in range(votes.shape[0]):
        soften_one(votes[i], scale)


def soften_one(votes, scale):
    """Turn the votes for one row into probabilities, as `soften` does."""
    highest: cython.double = -INF
    total: cython.double = 0.0
    for c in range(votes.shape[0]):
        highest = max(highest, votes[c])
    # Subtracting the maximum keeps exp from overflowing.
    for c in range(votes.shape[0]):
        votes[c] = exp(scale * (votes[c] - highest)) if highest > -INF else 0.0
        total += votes[c]
    for c in range(votes.shape[0]):
        votes[c] /= max(total, 1.0)
