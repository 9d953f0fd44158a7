# cython: infer_types=True
"""The prediction and training loop of Winnow."""

import cython
import numpy as np


def winnow_rows(
    on, y, plus, minus, came, threshold, promotion, smallest, largest, eliminates, balanced, scores,
    learning,
):  # fmt: skip
    """Write the scores of each row, then train on it if `learning`.

    Parameters
    ----------
    on : uint8 array of shape (n, attributes)
        Whether each attribute is on.
    y : int32 array of shape (n,)
        The class codes; used only if `learning`.
    plus, minus : float arrays of shape (classes + 1, attributes)
        The weights for and against each class; the last row is for all classes not seen yet.
    came : uint8 array of shape (classes,)
        Whether each class has been seen.
    threshold, promotion : float
        Threshold above which a class is predicted; factor of promotions and demotions.
    smallest, largest : float
        Bounds of nonzero weights.
    eliminates, balanced : bool
        Whether demoted weights become 0; whether weights against a class are updated too.
    scores : float array of shape (n, classes)
        Output: the ratio of each seen class's weight sum to the threshold.
    learning : bool
        Whether to update the weights.

    Examples
    --------
    >>> plus, came, scores = np.ones((3, 2)), np.array([1, 1], np.uint8), np.zeros((1, 2))
    >>> on, y = np.array([[1, 0]], np.uint8), np.array([1], np.int32)
    >>> winnow_rows(on, y, plus, 0 * plus, came, 1.5, 2.0, 0.1, 9.0, False, False, scores, True)
    >>> print(plus.tolist())
    [[1.0, 1.0], [2.0, 1.0], [1.0, 1.0]]
    """
    n_vectors: cython.Py_ssize_t = plus.shape[0]
    n_attributes: cython.Py_ssize_t = plus.shape[1]
    exceed: cython.double[::1] = np.zeros(n_vectors)
    if not (
        on.shape[1] == minus.shape[1] == n_attributes
        and came.shape[0] == scores.shape[1] == n_vectors - 1 == minus.shape[0] - 1
        and on.shape[0] == scores.shape[0]
        and (not learning or y.shape[0] == on.shape[0])
    ):
        raise ValueError("The weights do not match the classes or attributes of the rows.")
    for i in range(on.shape[0]):
        for v in range(n_vectors):
            pro: cython.double = 0.0
            contra: cython.double = 0.0
            for a in range(n_attributes):
                if on[i, a]:
                    pro += plus[v, a]
                    contra += minus[v, a]
            # A ratio to the threshold makes the sums of several classes comparable. Balanced Winnow
            # predicts a class if pro - contra > threshold, which is the same as a ratio above 1.
            exceed[v] = pro / (threshold + contra)
        _write_scores(exceed, came, scores[i])
        if not learning:
            continue
        if not 0 <= y[i] < n_vectors - 1:
            raise ValueError(f"Class codes must be in the range [0, {n_vectors - 1}). Got {y[i]}.")
        for v in range(n_vectors):
            # The last row of weights, of all unseen classes, equals no code: it is trained as a
            # negative and so has the weights that a class would have if it had been known from the
            # beginning.
            if (exceed[v] > 1.0) != (v == y[i]):
                _move(on[i], plus[v], promotion, v == y[i], smallest, largest, eliminates)
                if balanced:
                    _move(on[i], minus[v], promotion, v != y[i], smallest, largest, False)
        came[y[i]] = 1


def _write_scores(exceed, came, scores):
    """Write the scores; with up to two classes, that of the first class is 1, the threshold."""
    first: cython.Py_ssize_t = -1
    n_came: cython.Py_ssize_t = 0
    all_abstain: cython.bint = True
    for c in range(came.shape[0]):
        scores[c] = exceed[c] if came[c] else 0.0
        all_abstain = all_abstain and scores[c] == 0.0
        if came[c]:
            first = c if n_came == 0 else first
            n_came += 1
    # With two classes, the first is predicted unless the second exceeds the threshold. With more,
    # the first class is the default where no weight is left.
    if n_came > 0 and (n_came <= 2 or all_abstain):
        scores[first] = 1.0


def _move(on, weights, promotion, up, smallest, largest, eliminates):
    """Promote, demote or eliminate the weights of the attributes that are on."""
    for a in range(on.shape[0]):
        if not on[a]:
            continue
        if up:
            weights[a] = min(weights[a] * promotion, largest)
        elif eliminates:
            weights[a] = 0.0
        else:
            weights[a] = max(weights[a] / promotion, smallest)
