"""Prequential accuracy of a model over time and the origin of its rows, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from driftlearn.inspection._tables import BINS, calibration_of
from driftlearn.io import schema
from driftlearn.utils.table import Table

MAX_ROWS = 2**53
SPAN = 100  # initial rows per span, which resolves accuracies to one percent
MAX_SPANS = 256
MAX_STARTS = 1024  # maximum number of stored starts of chunks, and of changes from file to file
MAX_CLASSES = 100  # classes in the confusion matrix, whose size grows quadratically
MAX_COUNTS = 1_000_000  # maximum size of the temporary array of class counts
SPAN_COUNTS = ("tested", "right", "no_change", "majority", "class_tested", "class_right",
               "calibration")  # fmt: skip
START_TYPES = {
    "span_starts": (str, int, str),
    "file_starts": (int, str, int),
    "chunk_starts": (int, int),
}


class Predictions(NamedTuple):
    """Prequential predictions of rows.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        Predicted classes, as positions in the classes of the record; -1 without a prediction.
    confidence : ndarray of shape (n,)
        Probabilities of the predicted classes.
    """

    codes: np.ndarray
    confidence: np.ndarray

    @classmethod
    def none(cls, n: int) -> Predictions:
        """Return an object for `n` rows without predictions."""
        return cls(np.full(n, -1), np.zeros(n))

    def put(self, rows: Any, others: Predictions) -> None:
        """Replace the predictions of rows, in place."""
        self.codes[rows], self.confidence[rows] = others


class Record:
    """Prequential accuracy of a saved model and of two baselines over time.

    The stream is divided into spans of equal length. When there are 256 spans, neighboring spans
    are merged in pairs and the span length is doubled. The counts do not depend on how rows are
    split into calls.

    Attributes
    ----------
    n_rows : int
        Number of training rows.
    span : int
        Number of rows in a span.
    classes : list of str
        The labels seen so far, in order of appearance.
    tested, right, no_change, majority : ndarray of shape (spans,)
        For each span, the number of prequentially predicted rows, and of correct predictions: by
        the model, by repeating the previous label, and by the most frequent label so far.
    class_tested, class_right : ndarray of shape (spans, classes)
        Tested rows of each class, and how many of them the model predicted correctly.
    calibration : ndarray of shape (spans, 3, 10)
        For ten confidence bins: rows, sum of confidences in millionths, correct predictions.
    confusion : ndarray of shape (classes, classes)
        Tested rows by true and predicted class over all spans; empty if there are more than 100
        classes.
    span_starts : list of [file, row, time]
        Origin of the first row of each span. The time is a string, which is empty without a time
        column.
    file_starts : list of [n, file, row]
        Number of training rows before a file, and the first row number in the file.
    chunk_starts : list of [step, n]
        Number of a chunk, and of the training rows before it.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "span": schema.integer(1, MAX_ROWS),
        "n_rows": schema.integer(0, MAX_ROWS),
        "n_chunks": schema.integer(0, MAX_ROWS),
        "chunk_step": schema.integer(1, MAX_ROWS),
        "classes": schema.list_of(schema.word(), "classes"),
        "class_counts": schema.integers("classes", least=0),
        "last": schema.integer(-1, below="classes"),
        **{name: schema.integers("spans", least=0) for name in SPAN_COUNTS[:4]},
        **{name: schema.integers("spans", "classes", least=0) for name in SPAN_COUNTS[4:6]},
        "calibration": schema.integers("spans", 3, BINS, least=0),
        "confusion": schema.anything(),
        "span_starts": schema.list_of(schema.anything(), "spans"),
        "file_starts": schema.list_of(schema.anything()),
        "chunk_starts": schema.list_of(schema.anything()),
    }

    def __init__(self) -> None:
        self.span, self.n_rows, self.n_chunks, self.chunk_step = SPAN, 0, 0, 1
        self.classes: list[str] = []
        self.class_counts = np.zeros(0, dtype=np.int64)
        self.last = -1
        self.tested, self.right, self.no_change, self.majority = np.zeros((4, 0), dtype=np.int64)
        self.class_tested, self.class_right = np.zeros((2, 0, 0), dtype=np.int64)
        self.calibration = np.zeros((0, 3, BINS), dtype=np.int64)
        self.confusion = np.zeros((0, 0), dtype=np.int64)
        self.span_starts: list[list[Any]] = []
        self.file_starts: list[list[Any]] = []
        self.chunk_starts: list[list[int]] = []

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless spans, classes and rows are consistent."""
        k, confusion = len(state["classes"]), state["confusion"]
        is_counts = type(confusion) is np.ndarray and confusion.dtype.kind == "i"
        if not is_counts or confusion.shape not in ((k, k), (0, 0)):
            raise schema.InvalidStateError("Record: 'confusion' does not match the classes")
        if len(state["tested"]) != -(-state["n_rows"] // state["span"]):
            raise schema.InvalidStateError("Record: the number of spans does not match 'n_rows'")
        for name, types in START_TYPES.items():
            if any(type(each) is not list or (*map(type, each),) != types for each in state[name]):
                raise schema.InvalidStateError(f"Record: {name!r} has a malformed entry")

    def codes(self, labels: list[str]) -> np.ndarray:
        """Return the positions of labels in `classes`; append new labels."""
        known = {label: k for k, label in enumerate(self.classes)}
        new = [label for label in dict.fromkeys(labels) if label not in known]
        if new:
            known.update({label: len(known) + k for k, label in enumerate(new)})
            self.classes = [*self.classes, *new]
            self._add_classes(len(new))
        return np.array([known[label] for label in labels], dtype=np.int64)

    @property
    def most_frequent(self) -> int:
        """The most frequent class so far; -1 before the first row."""
        return int(self.class_counts.argmax()) if self.n_rows else -1

    def update(
        self,
        y: np.ndarray,
        predictions: Predictions,
        locations: Sequence[list[Any]],
        known: tuple[int, int] | None = None,
    ) -> None:
        """Count training rows.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Labels of the rows, as positions in `classes`.
        predictions : Predictions
            Prequential predictions of the rows.
        locations : list of [file, row, time]
            Origin of each row.
        known : (int, int), optional
            The newest and the most frequent class that were known when the rows were predicted, if
            they were predicted together; by default those before each row.
        """
        done = 0
        while done < len(y):
            if self.n_rows == self.span * MAX_SPANS:
                self._merge_spans()
            if self.n_rows % self.span == 0:
                self._open_span(locations[done])
            rows = slice(done, done + self.span - self.n_rows % self.span)
            codes, confidence = (each[rows] for each in predictions)
            self._count(y[rows], codes, confidence, known)
            self._note_files(locations[rows])
            n = len(y[rows])
            self.n_rows += n
            done += n

    def begin_chunk(self) -> None:
        """Record that the next row starts a chunk."""
        self.n_chunks += 1
        if (self.n_chunks - 1) % self.chunk_step == 0:
            self.chunk_starts.append([self.n_chunks, self.n_rows])
        if len(self.chunk_starts) > MAX_STARTS:
            self.chunk_starts, self.chunk_step = self.chunk_starts[::2], 2 * self.chunk_step

    def where(self, n: int) -> dict[str, Any]:
        """Return file, row number and time of training row `n`, counted from 0.

        The row number is exact if files were read in order, with fewer than 500 recent changes from
        file to file. The time is the time of the first row in the span.
        """
        if not self.span_starts:
            return {"file": None, "row": None, "time": None}
        k = min(n // self.span, len(self.span_starts) - 1)
        begin, (file, row, time) = k * self.span, self.span_starts[k]
        for first, name, first_row in self.file_starts:
            if begin <= first <= n:
                begin, file, row = first, name, first_row
        return {"file": file, "row": row + n - begin, "time": time or None}

    def n_before(self, file: str, row: int) -> int | None:
        """Return the number of training rows before a row of a file; None if it is not known."""
        for first, name, first_row in reversed(self.file_starts):
            if name == file:
                return min(first + max(row - first_row, 0), self.n_rows)
        return None

    def row_of(self, step: int) -> int:
        """Return the number of training rows before a step (a chunk or, without chunks, a row)."""
        if not self.n_chunks:
            return step
        before = [n for k, n in self.chunk_starts if k <= max(step, 1)]
        return before[-1] if before else 0

    def accuracy(self, last: int | None = None) -> dict[str, float | None]:
        """Return the prequential accuracy of the model and of both baselines.

        Parameters
        ----------
        last : int, optional
            Use only the newest spans with this number of rows; by default all spans.
        """
        n = len(self.tested) if last is None else -(-last // self.span)
        tested = int(self.tested[-n:].sum()) if n else 0
        counts = {"model": self.right, "no change": self.no_change, "majority": self.majority}
        return {
            name: int(values[-n:].sum()) / tested if tested else None
            for name, values in counts.items()
        }

    def table(self) -> Table:
        """Return a table of the spans: first row, tested rows and accuracies."""
        n = np.maximum(self.tested, 1)
        return Table({
            "first row": np.arange(len(n)) * self.span,
            "file": [file for file, _, _ in self.span_starts],
            "time": [time for _, _, time in self.span_starts],
            "tested": self.tested,
            "accuracy": self.right / n,
            "no change": self.no_change / n,
            "majority": self.majority / n,
        })  # fmt: skip

    def _add_classes(self, n: int) -> None:
        self.class_counts = np.pad(self.class_counts, (0, n))
        self._change(("class_tested", "class_right"), lambda c: np.pad(c, ((0, 0), (0, n))))
        if len(self.classes) > MAX_CLASSES:
            self.confusion = np.zeros((0, 0), dtype=np.int64)
        else:
            self.confusion = np.pad(self.confusion, (0, n))

    def _change(self, names: Sequence[str], change: Callable[[np.ndarray], np.ndarray]) -> None:
        """Replace arrays of counts by the result of a function."""
        for name in names:
            setattr(self, name, change(getattr(self, name)))

    def _open_span(self, location: list[Any]) -> None:
        self._change(SPAN_COUNTS, lambda c: np.pad(c, ((0, 1), *[(0, 0)] * (c.ndim - 1))))
        self.span_starts.append([*location])

    def _merge_spans(self) -> None:
        self._change(SPAN_COUNTS, lambda c: c[::2] + c[1::2])
        self.span_starts, self.span = self.span_starts[::2], 2 * self.span

    def _note_files(self, locations: Sequence[list[Any]]) -> None:
        starts = self.file_starts
        if starts and starts[-1][1] == locations[0][0] == locations[-1][0]:
            return
        for i, (file, row, _) in enumerate(locations):
            if not starts or starts[-1][1] != file:
                starts.append([self.n_rows + i, file, row])
        if len(starts) > MAX_STARTS:
            self.file_starts = starts[-MAX_STARTS // 2 :]

    def _count(
        self,
        y: np.ndarray,
        codes: np.ndarray,
        confidence: np.ndarray,
        known: tuple[int, int] | None,
    ) -> None:
        """Add rows to the newest span."""
        before = np.concatenate([[self.last], y[:-1]])
        most = self._most_frequent(y)
        if known is not None:
            before[:], most[:] = known
        self.last = int(y[-1])
        tested = codes >= 0
        right = tested & (codes == y)
        self.tested[-1] += tested.sum()
        self.right[-1] += right.sum()
        self.no_change[-1] += (tested & (before == y)).sum()
        self.majority[-1] += (tested & (most == y)).sum()
        k = len(self.classes)
        self.class_tested[-1] += np.bincount(y[tested], minlength=k)
        self.class_right[-1] += np.bincount(y[right], minlength=k)
        if len(self.confusion):
            pairs = np.bincount(y[tested] * k + codes[tested], minlength=k * k)
            self.confusion += pairs.reshape(k, k)
        self.calibration[-1] += calibration_of(confidence[tested], right[tested])

    def _most_frequent(self, y: np.ndarray) -> np.ndarray:
        """Return the most frequent class before each row; -1 for the first row."""
        found = np.empty(len(y), dtype=np.int64)
        k = len(self.classes)
        size = max(1, MAX_COUNTS // k)
        for begin in range(0, len(y), size):
            some = y[begin : begin + size]
            counts = np.zeros((len(some) + 1, k), dtype=np.int64)
            counts[0] = self.class_counts
            counts[np.arange(1, len(counts)), some] = 1
            counts = counts.cumsum(axis=0)
            found[begin : begin + size] = counts[:-1].argmax(axis=1)
            self.class_counts = counts[-1]
        if not self.n_rows:
            found[0] = -1
        return found
