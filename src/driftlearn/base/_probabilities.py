# cython: infer_types=True
"""Normalized class scores, and predictions of all models of a committee in one call."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel, check_rows
    from driftlearn.utils._row_pointers import place_at, row_at

# NumPy has one object of each, so `is` compares them
FLOATS, CODES = np.dtype(np.float64), np.dtype(np.intp)
FEW = 8  # NumPy adds fewer than 8 numbers sequentially; from 8 on, it uses a different order


def check_scores(model, X, scores, method):
    """Return the scores of rows; raise an error unless their shape is (rows, classes)."""
    shape = len(X), len(model.classes_)
    if getattr(scores, "shape", None) != shape:
        raise ValueError(
            f"{method} of {type(model).__name__} must return an array of shape {shape}: one row "
            f"per row of X and one column per class in classes_. Got shape {np.shape(scores)} "
            "instead."
        )
    return scores


def normalize(scores):
    """Return class scores as probabilities, uniform if all scores of a row are 0.

    Examples
    --------
    >>> normalize(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    probas, complete = normalize_rows(scores)
    if complete:
        return probas
    if not (scores >= 0).all():
        raise ValueError("Class scores must be nonnegative, but some are negative or nan.")
    return np.where((probas > 0).any(axis=1, keepdims=True), probas, 1.0 / scores.shape[1])


def normalize_rows(scores):
    """Return each row divided by its sum, and whether every sum is positive.

    Other rows become 0. The results are bitwise those of NumPy's sum and division, which take ten
    times as long for a few classes.

    Parameters
    ----------
    scores : array of shape (rows, classes)

    Returns
    -------
    probas : array of the same shape
    complete : bool

    Examples
    --------
    >>> normalize_rows(np.array([[1.0, 3.0], [0.0, 0.0]]))
    (array([[0.25, 0.75],
           [0.  , 0.  ]]), False)
    """
    if scores.dtype is not FLOATS or not scores.flags.c_contiguous or scores.shape[1] >= FEW:
        total = scores.sum(axis=1, keepdims=True)
        some = total > 0
        return np.divide(scores, total, out=np.zeros(scores.shape), where=some), bool(some.all())
    probas = scores.copy()
    return probas, bool(normalize_in_place(probas))


def normalize_in_place(scores):
    """Divide each row by its sum, or fill it with 0; return whether every sum is positive."""
    complete: cython.bint = True
    if scores.shape[1] >= FEW:
        values = np.asarray(scores)
        values[:], complete = normalize_rows(values)
        return complete
    for i in range(scores.shape[0]):
        total: cython.double = 0.0
        for c in range(scores.shape[1]):
            total += scores[i, c]
        if not total > 0.0:
            complete = False
            for c in range(scores.shape[1]):
                scores[i, c] = 0.0
        elif total != 1.0:
            for c in range(scores.shape[1]):
                scores[i, c] /= total
    return complete


def argmax_rows(probas: cython.const[cython.double][:, ::1]):
    """Return the position of the largest value of each row, the first on ties.

    Parameters
    ----------
    probas : C-ordered float64 array of shape (rows, classes), without nan

    Returns
    -------
    intp array of shape (rows,)

    Examples
    --------
    >>> argmax_rows(np.array([[0.25, 0.75], [0.5, 0.5]]))
    array([1, 0])
    """
    result = np.empty(probas.shape[0], CODES)
    out: cython.Py_ssize_t[::1] = result
    for i in range(probas.shape[0]):
        best: cython.Py_ssize_t = 0
        for c in range(1, probas.shape[1]):
            if probas[i, c] > probas[i, best]:
                best = c
        out[i] = best
    return result


def probas_of(models, columns, X, n_classes: cython.Py_ssize_t):
    """Return the class probabilities of each row from each model.

    Parameters
    ----------
    models : list of OnlineModel
    columns : list of int32 arrays
        Positions of each model's classes in the committee's class list, ascending.
    X : float64 array of shape (rows, features)
    n_classes : int
        The number of classes of the committee.

    Returns
    -------
    float array of shape (models, rows, n_classes)
        Probabilities; all 0 for a row for which a model has no positive score.

    Examples
    --------
    >>> from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
    >>> model = NaiveBayesModel(n_features=1, n_classes=1)
    >>> model.learn_many(np.zeros((1, 1)), np.zeros(1, dtype=np.intp), np.ones(1))
    >>> probas_of([model], [np.array([1], dtype=np.int32)], np.zeros((1, 1)), 2)
    array([[[0., 1.]]])
    """
    rows: cython.const[cython.double][:, ::1] = X
    result = np.zeros((len(models), rows.shape[0], n_classes))
    probas: cython.double[:, :, ::1] = result
    model: OnlineModel
    for k in range(len(models)):
        model = models[k]
        if model.n_classes == n_classes:
            model.scores_many(rows, probas[k])
            normalize_in_place(probas[k])
        else:
            scores = np.empty((rows.shape[0], model.n_classes))
            own: cython.double[:, ::1] = scores
            model.scores_many(rows, own)
            normalize_in_place(own)
            result[k][:, columns[k]] = scores
    return result


def folded(models, X, y, w, fold):
    """Train each model on all rows outside its fold; return its probabilities for the fold.

    Parameters
    ----------
    models : list of OnlineModel
        Empty models with equal numbers of classes.
    X, y, w
        Rows, class codes and weights.
    fold : intp array of shape (rows,)
        The position in `models` of the model that is not trained on the row.

    Returns
    -------
    float array of shape (rows, classes)
    """
    rows: cython.const[cython.double][:, ::1] = X
    codes: cython.const[cython.Py_ssize_t][::1] = y
    weights: cython.const[cython.double][::1] = w
    folds: cython.const[cython.Py_ssize_t][::1] = fold
    result = np.empty((rows.shape[0], models[0].n_classes))
    probas: cython.double[:, ::1] = result
    model: OnlineModel
    for k in range(len(models)):
        model = models[k]
        check_rows(model.n_features, model.n_classes, rows, codes, weights)
        for i in range(rows.shape[0]):
            if folds[i] != k:
                model._learn_row(row_at(rows, i), codes[i], weights[i])
        for i in range(rows.shape[0]):
            if folds[i] == k:
                model._test_row(row_at(rows, i), place_at(probas, i))
    normalize_in_place(probas)
    return result


def labels_of(models, columns, X):
    """Return the class code (of the committee) predicted by each model for each row.

    Parameters
    ----------
    models, columns, X
        As for `probas_of`.

    Returns
    -------
    int32 array of shape (models, rows)
        Class with the highest score, the first on ties.
    """
    rows: cython.const[cython.double][:, ::1] = X
    result = np.empty((len(models), rows.shape[0]), dtype=np.int32)
    labels: cython.int[:, ::1] = result
    column: cython.const[cython.int][::1]
    scores: cython.double[:, ::1] = np.empty((rows.shape[0], 0))
    model: OnlineModel
    for k in range(len(models)):
        model = models[k]
        column = columns[k]
        if scores.shape[1] != column.shape[0]:
            scores = np.empty((rows.shape[0], column.shape[0]))
        model.scores_many(rows, scores)
        with cython.nogil:
            for i in range(rows.shape[0]):
                best = 0
                for c in range(1, scores.shape[1]):
                    if scores[i, c] > scores[i, best]:
                        best = c
                labels[k, i] = column[best]
    return result


def labels(model, X):
    """Return the class code predicted by a model for each row; -1 if it is untrained."""
    if hasattr(model, "predict_many"):
        return model.predict_many(X)
    out: cython.int[::1] = np.empty(X.shape[0], dtype=np.int32)
    for i in range(X.shape[0]):
        out[i] = model._predict_row(row_at(X, i))
    return np.asarray(out)
