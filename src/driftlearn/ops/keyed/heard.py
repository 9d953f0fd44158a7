"""Whose answers were heard, and how many were right: by the age of keys, and over the stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.io._files import CorruptFile
from driftlearn.ops.keyed.voices import GLOBAL, OWN

BORROWED, NOBODY = "borrowed", "nobody"
KINDS = (OWN, GLOBAL, BORROWED, NOBODY)
MOST_AGES = 24
SPAN = 1_000  # rows of a span of the stream at first
MOST_SPANS = 128
#: What is counted of a span: rows learned, those answered, right answers, what the global model
#: said and had right, and keys that began.
COUNTS = ("rows", "tested", "right", "global_tested", "global_right", "begun")


class Heard:
    """Counts of answers to rows of all keys, the same however rows are sliced into calls.

    Attributes
    ----------
    by_age : ndarray of shape (24, 4, 2)
        Rows, and right answers among them, by the age of the key and by who answered: own, global,
        borrowed, nobody. Age k are keys that had learned from 2 ** (k - 1) to 2 ** k - 1 rows,
        age 0 those without any.
    lent : dict of str to list of int
        Rows and right answers of each model that is on the shelf now.
    span : int
        Rows of the stream that are a span now; it doubles when there are more than 128 spans.
    spans : ndarray of shape (n, 6)
        What each was: see `COUNTS`.

    Examples
    --------
    >>> heard = Heard()
    >>> answers = [None, "a", "b"], [None, "own", "own"], [0, 1, 2]
    >>> heard.update(np.arange(3), ["a", "b", "b"], answers)
    (3, 2, 1)
    >>> heard.spans.tolist()
    [[3, 2, 1, 0, 0, 1]]
    """

    def __init__(self) -> None:
        self.by_age = np.zeros((MOST_AGES, len(KINDS), 2), dtype=np.int64)
        self.lent: dict[str, list[int]] = {}
        self.span = SPAN
        self.spans = np.zeros((0, len(COUNTS)), dtype=np.int64)

    def update(
        self,
        numbers: np.ndarray,
        truth: Sequence[str | None],
        answers: Sequence[Sequence[Any]],
        everyone: Sequence[str | None] | None = None,
    ) -> tuple[int, int, int]:
        """Count rows; return how many were learned, answered, and answered rightly.

        Parameters
        ----------
        numbers : ndarray of int
            Their numbers in the stream.
        truth : sequence of str
            Their labels.
        answers : three sequences
            What was answered, whose answers these are, and how many rows the key of each had
            learned before; -1 if it was not learned.
        everyone : sequence of str, optional
            What the global model said.
        """
        labels, who, ages = answers
        age = np.asarray(ages)
        places = {OWN: 0, GLOBAL: 1, None: 3}
        kind = np.array([places.get(each, 2) for each in who], dtype=np.intp)
        right = np.array([one == label for one, label in zip(labels, truth)], dtype=bool)
        for i in np.flatnonzero((kind == 2) & (age >= 0)).tolist():
            lent = self.lent.setdefault(str(who[i]), [0, 0])
            lent[0] += 1
            lent[1] += int(right[i])
        known = [each is not None for each in everyone or ()] or np.zeros(len(age), dtype=bool)
        hit = [each == label for each, label in zip(everyone or (), truth)] or known
        learned = age >= 0
        columns = (learned, kind != 3, right, np.asarray(known), np.asarray(hit), age == 0)
        found = np.stack(columns, axis=1)[learned].astype(np.int64)
        where = np.minimum(np.frexp(age[learned])[1], MOST_AGES - 1), kind[learned]
        np.add.at(self.by_age, where, found[:, [0, 2]])
        self._count(numbers[learned], found)
        n, tested, n_right = found[:, :3].sum(axis=0).tolist()
        return n, tested, n_right

    def choose(self, names: Sequence[str]) -> None:
        """Forget the models that are no longer on the shelf."""
        self.lent = {name: self.lent.get(name, [0, 0]) for name in names}

    def content(self) -> bytes:
        """Return it as bytes."""
        state = {"by_age": self.by_age.tolist(), "lent": self.lent, "span": self.span,
                 "spans": self.spans.tolist()}  # fmt: skip
        return json.dumps(state).encode()

    @classmethod
    def of(cls, content: bytes | None) -> Heard:
        """Return what had this content; without any nothing was heard yet."""
        heard = cls()
        if content is None:
            return heard
        try:
            state = json.loads(content)
            heard.by_age = np.array(state["by_age"], dtype=np.int64).reshape(heard.by_age.shape)
            heard.lent = {str(name): [int(n), int(m)] for name, (n, m) in state["lent"].items()}
            heard.span = max(SPAN, int(state["span"]))
            spans = np.array(state["spans"], dtype=np.int64).reshape(-1, len(COUNTS))
            heard.spans = spans[:MOST_SPANS]
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
            said = "the store does not say whose answers were heard: it is damaged"
            raise CorruptFile(said) from None
        return heard

    def _count(self, numbers: np.ndarray, found: np.ndarray) -> None:
        """Count rows by their span, with spans as long as the newest row asks for."""
        if not len(numbers):
            return
        while numbers.max() // self.span >= MOST_SPANS:
            even = np.concatenate([self.spans, np.zeros((len(self.spans) % 2, len(COUNTS)))])
            self.spans = (even[::2] + even[1::2]).astype(np.int64)
            self.span *= 2
        place = numbers // self.span
        more = np.zeros((max(0, int(place.max()) + 1 - len(self.spans)), len(COUNTS)))
        self.spans = np.concatenate([self.spans, more]).astype(np.int64)
        np.add.at(self.spans, place, found)
