"""How a kept model did, row after row, in bounded memory, and where these rows were."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from driftlearn.io.schema import (
    Field,
    InvalidStateError,
    anything,
    integer,
    integers,
    list_of,
    word,
)
from driftlearn.utils.table import Table

MOST_ROWS = 2**53
SPAN = 100  # rows of a span at first: a percent of them can be told
MOST_SPANS = 256
MOST_MARKS = 1024  # chunks, and changes from file to file, of which is known where they began
MOST_CLASSES = 100  # of which is counted who was taken for whom
BINS = 10  # of confidence, as in driftlearn.evaluate
MILLIONTHS = 1_000_000  # confidences are added up as whole numbers: in any order the same sum
ROOM = 1_000_000  # counts that are made at a time to tell the most frequent class of every row


class Record:
    """What a kept model said of rows before it learned them, beside what baselines would have said.

    All numbers are counts over spans of rows. When there are 256 spans each two neighbours
    become one, and from then on spans are twice as long. They are the same however rows are
    sliced into calls.

    Attributes
    ----------
    n_rows : int
        Rows so far: those that were learned, in the order in which they were.
    span : int
        Rows of a span now.
    classes : list of str
        The labels so far, in the order in which they came.
    tested, right, no_change, majority : ndarray of shape (spans,)
        Rows of which something was said before they were learned; how many of these the model had
        right, how many the label of the row before, and how many the most frequent label so far.
    seen, found : ndarray of shape (spans, classes)
        Tested rows of each class, and how many of these were right.
    calibration : ndarray of shape (spans, 3, 10)
        By ten bins of the confidence: rows, the sum of confidences in millionths, right ones.
    confusion : ndarray of shape (classes, classes)
        Tested rows by true and predicted class, all spans together; without rows if there are
        more than 100 classes.
    marks : list of [file, row, time]
        Where the first row of each span was; the time is text, empty if there is no such column.
    files : list of [n, file, row]
        After how many rows a file began, and at which of its rows.
    chunks : list of [step, n]
        After how many rows a chunk began.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "span": integer(1, MOST_ROWS),
        "n_rows": integer(0, MOST_ROWS),
        "n_chunks": integer(0, MOST_ROWS),
        "chunk_step": integer(1, MOST_ROWS),
        "classes": list_of(word()),
        "counts": integers("classes", least=0),
        "last": integer(-1),
        "tested": integers("spans", least=0),
        "right": integers("spans", least=0),
        "no_change": integers("spans", least=0),
        "majority": integers("spans", least=0),
        "seen": integers("spans", "classes", least=0),
        "found": integers("spans", "classes", least=0),
        "calibration": integers("spans", 3, BINS, least=0),
        "confusion": anything(),
        "marks": list_of(anything(), "spans"),
        "files": list_of(anything()),
        "chunks": list_of(anything()),
    }

    def __init__(self) -> None:
        self.span, self.n_rows, self.n_chunks, self.chunk_step = SPAN, 0, 0, 1
        self.classes: list[str] = []
        self.counts = np.zeros(0, dtype=np.int64)
        self.last = -1
        self.tested, self.right, self.no_change, self.majority = np.zeros((4, 0), dtype=np.int64)
        self.seen = np.zeros((0, 0), dtype=np.int64)
        self.found = np.zeros((0, 0), dtype=np.int64)
        self.calibration = np.zeros((0, 3, BINS), dtype=np.int64)
        self.confusion = np.zeros((0, 0), dtype=np.int64)
        self.marks: list[list[Any]] = []
        self.files: list[list[Any]] = []
        self.chunks: list[list[int]] = []

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless spans, classes and rows fit together."""
        k, confusion = len(state["classes"]), state["confusion"]
        whole = type(confusion) is np.ndarray and confusion.dtype.kind == "i"
        if not whole or confusion.shape not in ((k, k), (0, 0)):
            raise InvalidStateError("a Record whose confusion is not of its classes")
        if len(state["counts"]) != k or state["last"] >= k:
            raise InvalidStateError("a Record that has not counted its classes")
        if len(state["tested"]) != -(-state["n_rows"] // state["span"]):
            raise InvalidStateError("a Record whose spans are not those of its rows")
        shapes = (("marks", "srt"), ("files", "nsr"), ("chunks", "nn"))
        kinds = {"s": str, "t": str, "n": int, "r": int}
        for name, letters in shapes:
            for each in state[name]:
                sound = type(each) is list and len(each) == len(letters)
                if not sound or any(type(v) is not kinds[c] for v, c in zip(each, letters)):
                    raise InvalidStateError(f"a Record with {name} that are none")

    def codes(self, labels: list[str]) -> np.ndarray:
        """Return labels as positions in `classes`, to which new ones are added."""
        known = {label: k for k, label in enumerate(self.classes)}
        new = [label for label in dict.fromkeys(labels) if label not in known]
        if new:
            known.update({label: len(known) + k for k, label in enumerate(new)})
            self.classes = [*self.classes, *new]
            self._widen(len(new))
        return np.array([known[label] for label in labels], dtype=np.int64)

    def update(
        self, y: np.ndarray, said: np.ndarray, confidence: np.ndarray, places: list[list[Any]]
    ) -> None:
        """Count rows that were learned.

        Parameters
        ----------
        y, said : ndarray of shape (n,)
            The codes of their labels, and of what was said; -1 where nothing was.
        confidence : ndarray of shape (n,)
            The probability of what was said.
        places : list of [file, row, time]
            Where each row was.
        """
        done = 0
        while done < len(y):
            if self.n_rows == self.span * MOST_SPANS:
                self._halve()
            if self.n_rows % self.span == 0:
                self._open_span(places[done])
            rows = slice(done, done + self.span - self.n_rows % self.span)
            self._count(y[rows], said[rows], confidence[rows])
            n = len(y[rows])
            self._note_files(places[rows])
            self.n_rows += n
            done += n

    def begin_chunk(self) -> None:
        """Take note that the next row is the first of a chunk."""
        self.n_chunks += 1
        if (self.n_chunks - 1) % self.chunk_step == 0:
            self.chunks.append([self.n_chunks, self.n_rows])
        if len(self.chunks) > MOST_MARKS:
            self.chunks, self.chunk_step = self.chunks[::2], 2 * self.chunk_step

    def where(self, n: int) -> dict[str, Any]:
        """Return the file, row and time of what was learned after `n` rows.

        The row is exact where rows were learned in the order of their files, and the changes from
        file to file were fewer than 500 lately; the time is that of the first row of its span.
        """
        if not self.marks:
            return {"file": None, "row": None, "time": None}
        at = min(n // self.span, len(self.marks) - 1)
        file, row, time = self.marks[at]
        begun, row = at * self.span, row
        for first, name, first_row in self.files:
            if begun <= first <= n:
                begun, file, row = first, name, first_row
        return {"file": file, "row": row + n - begun, "time": time or None}

    def row_of(self, step: int) -> int:
        """Return after how many rows a learner began a step: a chunk if there are any, or a row."""
        if not self.n_chunks:
            return step
        before = [n for k, n in self.chunks if k <= max(step, 1)]
        return before[-1] if before else 0

    def accuracy(self, last: int | None = None) -> dict[str, float | None]:
        """Return the share of tested rows that were right, of the model and of both baselines.

        Parameters
        ----------
        last : int, optional
            Of the newest spans that have so many rows together; by default of all.
        """
        n = len(self.tested) if last is None else -(-last // self.span)
        tested = int(self.tested[-n:].sum()) if n else 0
        return {
            name: int(getattr(self, key)[-n:].sum()) / tested if tested else None
            for name, key in (("model", "right"), ("no change", "no_change"),
                              ("majority", "majority"))
        }  # fmt: skip

    def table(self) -> Table:
        """Return a row a span: where it began, rows tested, and shares that were right."""
        n = np.maximum(self.tested, 1)
        return Table(
            {
                "first row": np.arange(len(n)) * self.span,
                "file": [mark[0] for mark in self.marks],
                "time": [mark[2] for mark in self.marks],
                "tested": self.tested,
                "accuracy": self.right / n,
                "no change": self.no_change / n,
                "majority": self.majority / n,
            }
        )

    def _widen(self, n: int) -> None:
        k = len(self.classes)
        self.counts = np.pad(self.counts, (0, n))
        self.seen, self.found = (np.pad(each, ((0, 0), (0, n))) for each in (self.seen, self.found))
        if k > MOST_CLASSES:
            self.confusion = np.zeros((0, 0), dtype=np.int64)
        else:
            self.confusion = np.pad(self.confusion, (0, n))

    def _open_span(self, place: list[Any]) -> None:
        for name in ("tested", "right", "no_change", "majority", "seen", "found", "calibration"):
            counts = getattr(self, name)
            new = np.zeros((1, *counts.shape[1:]), dtype=np.int64)
            setattr(self, name, np.concatenate([counts, new]))
        self.marks.append([*place])

    def _halve(self) -> None:
        for name in ("tested", "right", "no_change", "majority", "seen", "found", "calibration"):
            counts = getattr(self, name)
            setattr(self, name, counts[::2] + counts[1::2])
        self.marks, self.span = self.marks[::2], 2 * self.span

    def _note_files(self, places: list[list[Any]]) -> None:
        first, last = places[0], places[-1]
        if self.files and self.files[-1][1] == first[0] == last[0]:
            return
        for i, (file, row, _) in enumerate(places):
            if not self.files or self.files[-1][1] != file:
                self.files.append([self.n_rows + i, file, row])
        if len(self.files) > MOST_MARKS:
            self.files = self.files[-MOST_MARKS // 2 :]

    def _count(self, y: np.ndarray, said: np.ndarray, confidence: np.ndarray) -> None:
        """Count rows of the newest span."""
        before = np.concatenate([[self.last], y[:-1]])
        most = self._most_frequent(y)
        self.last = int(y[-1])
        tested = said >= 0
        right = tested & (said == y)
        self.tested[-1] += tested.sum()
        self.right[-1] += right.sum()
        self.no_change[-1] += (tested & (before == y)).sum()
        self.majority[-1] += (tested & (most == y)).sum()
        k = len(self.classes)
        self.seen[-1] += np.bincount(y[tested], minlength=k)
        self.found[-1] += np.bincount(y[right], minlength=k)
        if len(self.confusion):
            pairs = np.bincount(y[tested] * k + said[tested], minlength=k * k)
            self.confusion += pairs.reshape(k, k)
        sure = np.rint(confidence[tested] * MILLIONTHS).astype(np.int64)
        bins = np.minimum(sure * BINS // MILLIONTHS, BINS - 1)
        rows, hits = self.calibration[-1, 0], self.calibration[-1, 2]
        rows += np.bincount(bins, minlength=BINS)
        np.add.at(self.calibration[-1, 1], bins, sure)
        hits += np.bincount(bins[right[tested]], minlength=BINS)

    def _most_frequent(self, y: np.ndarray) -> np.ndarray:
        """Return of each row which class was the most frequent before it; -1 before the first."""
        found = np.empty(len(y), dtype=np.int64)
        k = len(self.classes)
        size = max(1, ROOM // k)
        for done in range(0, len(y), size):
            piece = y[done : done + size]
            counts = np.zeros((len(piece) + 1, k), dtype=np.int64)
            counts[0] = self.counts
            counts[np.arange(1, len(counts)), piece] = 1
            counts = counts.cumsum(axis=0)
            found[done : done + size] = counts[:-1].argmax(axis=1)
            self.counts = counts[-1]
        if not self.n_rows:
            found[0] = -1
        return found
