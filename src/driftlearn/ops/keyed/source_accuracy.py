"""Accuracy by prediction source (own model, global model, pool), by key age and over the stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.io._files import CorruptFile
from driftlearn.ops.keyed.model_weights import GLOBAL, OWN

POOL, NONE = "pool", "none"
#: Sources of a prediction: the key's own model, the global model, a pool model, none.
SOURCES = (OWN, GLOBAL, POOL, NONE)
PLACES = {OWN: 0, GLOBAL: 1, None: 3}  # any other name refers to a pool model
Texts = Sequence[str | None]
MAX_AGES = 24
SPAN = 1_000  # initial number of stream rows per span
MAX_SPANS = 128
#: Columns of `SourceAccuracy.spans`.
COUNTS = ("rows", "tested", "right", "global_tested", "global_right", "begun")


class SourceAccuracy:
    """Number of predictions and of correct predictions, by source.

    The counts do not depend on how rows are split into calls.

    Attributes
    ----------
    by_age : ndarray of shape (24, 4, 2)
        Rows and correct predictions, by age of the key and by `SOURCES`. A key of age k has 2 ** (k
        - 1) to 2 ** k - 1 training rows; a key of age 0 has none.
    by_pool_model : dict of str to list of int
        Rows and correct predictions of each pool model.
    span : int
        Number of stream rows in a span; doubled when there would be more than 128 spans.
    spans : ndarray of shape (n, 6)
        For each span (see `COUNTS`): training rows, predicted rows, correct predictions; predicted
        rows and correct predictions of the global model; new keys.

    Examples
    --------
    >>> accuracy = SourceAccuracy()
    >>> predictions = [None, "a", "b"], [None, "own", "own"], [0, 1, 2]
    >>> accuracy.update(np.arange(3), ["a", "b", "b"], predictions)
    (3, 2, 1)
    >>> accuracy.spans.tolist()
    [[3, 2, 1, 0, 0, 1]]
    """

    def __init__(self) -> None:
        self.by_age = np.zeros((MAX_AGES, len(SOURCES), 2), dtype=np.int64)
        self.by_pool_model: dict[str, list[int]] = {}
        self.span = SPAN
        self.spans = np.zeros((0, len(COUNTS)), dtype=np.int64)

    def update(
        self, numbers: np.ndarray, truth: Texts, predictions: Sequence[Any], of_global: Texts = ()
    ) -> tuple[int, int, int]:
        """Count rows; return the numbers of training rows, predicted rows and correct predictions.

        Parameters
        ----------
        numbers : ndarray of int
            Row numbers in the stream.
        truth : sequence of str
            The labels.
        predictions : three sequences
            Predicted labels, their sources, and the number of earlier training rows of each key; -1
            for rows that were not used for training.
        of_global : sequence of str, optional
            Predictions of the global model.
        """
        labels, votes, ages = predictions
        age = np.asarray(ages)
        source = np.array([PLACES.get(each, 2) for each in votes], dtype=np.intp)
        right = np.array([one == label for one, label in zip(labels, truth)], dtype=bool)
        learned = age >= 0
        for i in np.flatnonzero((source == 2) & learned).tolist():
            counts = self.by_pool_model.setdefault(str(votes[i]), [0, 0])
            counts[0] += 1
            counts[1] += int(right[i])
        found = np.zeros((len(age), len(COUNTS)), dtype=np.int64)
        found[:, :3] = np.stack((learned, source != 3, right), axis=1)
        if len(of_global):
            found[:, 3] = [each is not None for each in of_global]
            found[:, 4] = [each == label for each, label in zip(of_global, truth)]
        found[:, 5] = age == 0
        found = found[learned]
        bins = np.minimum(np.frexp(age[learned])[1], MAX_AGES - 1)
        np.add.at(self.by_age, (bins, source[learned]), found[:, [0, 2]])
        self._count(numbers[learned], found)
        n, tested, n_right = found[:, :3].sum(axis=0).tolist()
        return n, tested, n_right

    def set_pool(self, names: Sequence[str]) -> None:
        """Drop the counts of models that are no longer in the pool."""
        self.by_pool_model = {name: self.by_pool_model.get(name, [0, 0]) for name in names}

    def dumps(self) -> bytes:
        """Return the counts as bytes."""
        arrays = {"by_age": self.by_age.tolist(), "spans": self.spans.tolist()}
        return json.dumps({**vars(self), **arrays}).encode()

    @classmethod
    def loads(cls, content: bytes | None) -> SourceAccuracy:
        """Return the counts serialized by `dumps`, or new counts for None."""
        found = cls()
        if content is None:
            return found
        try:
            state = json.loads(content)
            found.by_age = np.array(state["by_age"], dtype=np.int64).reshape(found.by_age.shape)
            pool = state["by_pool_model"].items()
            found.by_pool_model = {str(name): [int(n), int(m)] for name, (n, m) in pool}
            found.span = max(SPAN, int(state["span"]))
            spans = np.array(state["spans"], dtype=np.int64).reshape(-1, len(COUNTS))
            found.spans = spans[:MAX_SPANS]
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
            raise CorruptFile("The store is damaged: its accuracy counts cannot be read.") from None
        return found

    def _count(self, numbers: np.ndarray, found: np.ndarray) -> None:
        """Add rows to their spans; merge pairs of spans while there are too many."""
        if not len(numbers):
            return
        while numbers.max() // self.span >= MAX_SPANS:
            even = np.concatenate([self.spans, _zeros(len(self.spans) % 2)])
            self.spans = even[::2] + even[1::2]
            self.span *= 2
        place = numbers // self.span
        self.spans = np.concatenate([self.spans, _zeros(int(place.max()) + 1 - len(self.spans))])
        np.add.at(self.spans, place, found)


def _zeros(n: int) -> np.ndarray:
    return np.zeros((max(n, 0), len(COUNTS)), dtype=np.int64)
