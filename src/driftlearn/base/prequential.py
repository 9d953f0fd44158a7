"""What a learner said of rows before it learned them, gathered run by run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from driftlearn.base._row_shares import likeliest
from driftlearn.base.chunk import Chunk
from driftlearn.base.input import announced, codes_among, joined

PIECE = 4096  # rows of a run: room for their probabilities stays small, however many classes


class PrequentialPredictions:
    """The tests of rows one after the other, by a learner whose class list grows on the way.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The labels of the rows.
    known : ndarray, optional
        The labels that the learner knows.
    named : ndarray, optional
        Labels that become known after the first test.
    proba : bool
        Whether probabilities are wanted, not labels.

    Attributes
    ----------
    classes : ndarray
        All labels that are known in the end.
    new : set of int
        The rows that bring a class.

    Examples
    --------
    >>> tests = PrequentialPredictions(np.array([3, 5, 5]), np.array([3]), None, proba=False)
    >>> list(tests.runs(np.ones(3)))
    [slice(0, 1, None), slice(1, 3, None)]
    >>> tests.note(slice(1, 3), np.array([3, 5]), np.array([[0.1, 0.9], [0.2, 0.8]]), None)
    >>> print(tests.outcome())
    [-- -- 5]
    """

    def __init__(
        self, y: np.ndarray, known: np.ndarray | None, named: np.ndarray | None, proba: bool
    ):
        self.new: set[int] = set()
        if known is not None and named is None and _are_among(known, y):
            self.classes = known
        else:
            self._meet(y, [some for some in (known, named) if some is not None])
        shape = (len(y), len(self.classes)) if proba else (len(y),)
        blank, kind = (0.0, float) if proba else (self.classes[0], self.classes.dtype)
        self._said = np.full(shape, blank, dtype=kind)
        self._unsaid = np.ones(shape, dtype=bool)
        self._proba = proba

    def _meet(self, y: np.ndarray, soon: list[np.ndarray]) -> None:
        """Find the rows that bring a class which is in none of these lists."""
        labels, first = np.unique(y, return_index=True)
        self.classes = labels
        for some in soon:
            self.classes = joined(some, self.classes)
        new = np.array([not any((some == label).any() for some in soon) for label in labels])
        self.new = {*first[new.astype(bool)].tolist()}

    def runs(self, w: np.ndarray) -> Iterator[slice]:
        """Yield runs of rows: a new class comes only with the first, and all count or none."""
        starts = {*self.new, *range(0, len(w), PIECE)}
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
        apart: bool = True,
    ) -> None:
        """Take note of what was thought of the rows of a run: nan where nothing was.

        `before` are the classes known at the first row and what was thought of it, if anything,
        where that was asked for `apart`.
        """
        tested = ~np.isnan(probas[:, 0])
        if apart:
            tested[0] = False
        self._put(rows.start + np.flatnonzero(tested), classes, probas[tested])
        if before is not None:
            self._put(np.array([rows.start]), *before)

    def _put(self, at: np.ndarray, classes: np.ndarray, probas: np.ndarray) -> None:
        if self._proba:
            cells: Any = np.ix_(at, np.searchsorted(self.classes, classes))
            self._said[cells] = probas
        else:
            cells = at
            self._said[cells] = classes[likeliest(probas)]
        self._unsaid[cells] = False

    def outcome(self) -> np.ma.MaskedArray:
        """Return what was said of all rows, masked where nothing was."""
        return np.ma.MaskedArray(self._said, mask=self._unsaid)


def _are_among(known: np.ndarray, labels: np.ndarray) -> bool:
    return known.dtype == labels.dtype and codes_among(known, labels) is not None


def test_then_train(
    learner: Any, X: Any, y: Any, classes: Any, sample_weight: Any, proba: bool
) -> np.ma.MaskedArray:
    """Have a learner test and learn rows one after the other; return what it said.

    A run of rows is handed over at a time. Its first row is tested apart where it brings a class,
    before that is known.
    """
    in_place = learner._in_place
    start = not hasattr(learner, "classes_")
    draft = learner if in_place and not start else learner._draft(start)
    draft._validate_params()
    X, y, w = draft._checked(X, y, sample_weight, start)
    named = None if classes is None else announced(classes)
    tests = PrequentialPredictions(y, getattr(draft, "classes_", None), named, proba)
    draft._check_number(tests.classes)
    for rows in tests.runs(w):
        before = None
        apart = named is not None or rows.start in tests.new or not draft._tests_every_row
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
        tests.note(rows, draft.classes_, probas, before, apart)
    learner.__dict__ = draft.__dict__
    return tests.outcome()


def test_then_train_chunks(learner: Any, chunk: Chunk, probas: np.ndarray) -> None:
    """Write what a learner says of each row by the model before its chunk, then have it learn.

    A chunk is a row where the learner has no ``chunk_size``.
    """
    done = 0
    while done < len(chunk):
        waiting = 0 if learner.waiting_ is None else len(learner.waiting_)
        rows = slice(done, done + max(1, (learner.chunk_size or 1) - waiting))
        if learner.__sklearn_is_fitted__():
            probas[rows] = learner._probas(chunk.X[rows])
        learner._receive(chunk.at(rows), finish=False)
        done = rows.stop
