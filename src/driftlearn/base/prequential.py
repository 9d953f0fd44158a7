"""Prequential predictions: each row is predicted before the model is trained on it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from driftlearn.base._probabilities import argmax_rows
from driftlearn.base.chunk import Chunk
from driftlearn.base.validation import check_classes, encode_labels, union_of_labels

MAX_RUN = 4096  # maximum rows per run; bounds the memory for probabilities of many classes


class PrequentialPredictions:
    """Predictions of successive rows by a learner whose class list may grow.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The labels of the rows.
    known : ndarray, optional
        The labels that are known to the learner.
    named : ndarray, optional
        Labels that become known after the first prediction.
    proba : bool
        Whether to collect probabilities instead of labels.

    Attributes
    ----------
    classes : ndarray
        All labels that are known in the end.
    new : set of int
        The rows with the first occurrence of a class.

    Examples
    --------
    >>> predictions = PrequentialPredictions(np.array([3, 5, 5]), np.array([3]), None, proba=False)
    >>> list(predictions.runs(np.ones(3)))
    [slice(0, 1, None), slice(1, 3, None)]
    >>> probas = np.array([[0.1, 0.9], [0.2, 0.8]])
    >>> predictions.note(slice(1, 3), np.array([3, 5]), probas, None)
    >>> print(predictions.outcome())
    [-- -- 5]
    """

    def __init__(
        self, y: np.ndarray, known: np.ndarray | None, named: np.ndarray | None, proba: bool
    ):
        self.new: set[int] = set()
        if known is not None and named is None and _are_among(known, y):
            self.classes = known
        else:
            self._find_new_classes(y, [some for some in (known, named) if some is not None])
        shape = (len(y), len(self.classes)) if proba else (len(y),)
        blank, kind = (0.0, float) if proba else (self.classes[0], self.classes.dtype)
        self._values = np.full(shape, blank, dtype=kind)
        self._mask = np.ones(shape, dtype=bool)
        self._proba = proba

    def _find_new_classes(self, y: np.ndarray, known: list[np.ndarray]) -> None:
        """Find the first row of each class that is not in any of these lists."""
        labels, first = np.unique(y, return_index=True)
        self.classes = labels
        for some in known:
            self.classes = union_of_labels(some, self.classes)
        new = np.array([not any((some == label).any() for some in known) for label in labels])
        self.new = {*first[new.astype(bool)].tolist()}

    def runs(self, w: np.ndarray) -> Iterator[slice]:
        """Yield runs of rows.

        Only the first row of a run may have a new class, and the weights in a run are either all
        zero or all positive.
        """
        starts = {*self.new, *range(0, len(w), MAX_RUN)}
        if len(w) > 1:
            starts.update((np.flatnonzero(np.diff(w > 0)) + 1).tolist())
        stops = sorted({*starts, len(w)} - {0})
        yield from map(slice, sorted(starts), stops)

    def note(
        self,
        rows: slice,
        classes: np.ndarray,
        probas: np.ndarray,
        before: tuple[np.ndarray, np.ndarray] | None,
        first_apart: bool = True,
    ) -> None:
        """Store the probabilities of the rows of a run; nan means no prediction.

        With `first_apart` the first row was predicted separately: `before` holds the classes known
        then and its probabilities, if there are any.
        """
        tested = ~np.isnan(probas[:, 0])
        if first_apart:
            tested[0] = False
        self._put(rows.start + np.flatnonzero(tested), classes, probas[tested])
        if before is not None:
            self._put(np.array([rows.start]), *before)

    def _put(self, at: np.ndarray, classes: np.ndarray, probas: np.ndarray) -> None:
        if self._proba:
            cells: Any = np.ix_(at, np.searchsorted(self.classes, classes))
            self._values[cells] = probas
        else:
            cells = at
            self._values[cells] = classes[argmax_rows(probas)]
        self._mask[cells] = False

    def outcome(self) -> np.ma.MaskedArray:
        """Return the predictions of all rows, masked where there is none."""
        return np.ma.MaskedArray(self._values, mask=self._mask)


def _are_among(known: np.ndarray, labels: np.ndarray) -> bool:
    return known.dtype == labels.dtype and encode_labels(known, labels) is not None


def test_then_train(
    learner: Any, X: Any, y: Any, classes: Any, sample_weight: Any, proba: bool
) -> np.ma.MaskedArray:
    """Return a learner's predictions of successive rows, each made before training on the row.

    Rows are processed in runs. The first row of a run is predicted separately if it has a new
    class, before that class is known.
    """
    in_place = learner._in_place
    start = not hasattr(learner, "classes_")
    draft = learner if in_place and not start else learner._draft(start)
    draft._validate_params()
    X, y, w = draft._checked(X, y, sample_weight, start)
    named = None if classes is None else check_classes(classes)
    predictions = PrequentialPredictions(y, getattr(draft, "classes_", None), named, proba)
    draft._check_number(predictions.classes)
    for rows in predictions.runs(w):
        before = None
        apart = named is not None or rows.start in predictions.new or not draft._tests_every_row
        if apart and draft.__sklearn_is_fitted__():
            before = draft.classes_, draft._probas(X[rows][:1])
        chunk = draft._cut(X[rows], y[rows], w[rows], named)
        if named is not None:
            draft._announce(named)
            named = None
        if in_place:
            learner.__dict__ = draft.__dict__
            draft = learner
        probas = np.full((len(chunk), len(draft.classes_)), np.nan)
        if chunk.w[0] > 0:
            draft._test_then_learn(chunk, probas)
        elif draft.__sklearn_is_fitted__():
            probas[:] = draft._probas(chunk.X)
        predictions.note(rows, draft.classes_, probas, before, apart)
    learner.__dict__ = draft.__dict__
    return predictions.outcome()


def test_then_train_chunks(learner: Any, chunk: Chunk, probas: np.ndarray) -> None:
    """Write the probabilities of each chunk's rows, then train on the chunk.

    Without a ``chunk_size`` each row is a chunk.
    """
    done = 0
    while done < len(chunk):
        waiting = 0 if learner.waiting_ is None else len(learner.waiting_)
        rows = slice(done, done + max(1, (learner.chunk_size or 1) - waiting))
        if learner.__sklearn_is_fitted__():
            probas[rows] = learner._probas(chunk.X[rows])
        learner._receive(chunk.at(rows), finish=False)
        done = rows.stop
