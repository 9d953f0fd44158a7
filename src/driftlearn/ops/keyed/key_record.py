"""How a key did, row after row, in a few hundred bytes."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from driftlearn.io.schema import Field, InvalidStateError, dict_of, integer, list_of, optional, word

MOST_ROWS = 2**53
SPAN = 16  # rows of a span at first
MOST_SPANS = 16
MOST_CHANGES = 8  # of which is known where they were
MOST_CLASSES = 100  # that are counted


class KeyRecord:
    """What was said of the rows of a key before they were learned, beside two baselines.

    All numbers are counts, the same however rows are sliced into calls. When there are 16 spans
    each two neighbours become one, and from then on spans are twice as long.

    Attributes
    ----------
    n_rows, n_tested : int
        Rows that were learned, and those of which something was said before.
    right, own, no_change, majority : int
        How many of the tested rows were right: what was answered, what the own model said, the
        label of the row before, the most frequent label so far.
    classes : dict of str to int
        How often each label came, in the order in which they came, of the first 100.
    last, most : str or None
        The label of the last row, and the most frequent one.
    span : int
        Rows of a span now.
    tested_in, right_in, own_in : list of int
        Tested rows of each span, how many of these were answered right, and how many the own
        model had right.
    n_changes : int
        How often the errors of the own model changed.
    changes : list of int
        After how many rows; the newest eight.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "n_rows": integer(0, MOST_ROWS),
        "n_tested": integer(0, MOST_ROWS),
        "right": integer(0, MOST_ROWS),
        "own": integer(0, MOST_ROWS),
        "no_change": integer(0, MOST_ROWS),
        "majority": integer(0, MOST_ROWS),
        "classes": dict_of(integer(1, MOST_ROWS)),
        "last": optional(word(), needed=True),
        "most": optional(word(), needed=True),
        "span": integer(1, MOST_ROWS),
        "tested_in": list_of(integer(0, MOST_ROWS), "spans"),
        "right_in": list_of(integer(0, MOST_ROWS), "spans"),
        "own_in": list_of(integer(0, MOST_ROWS), "spans"),
        "n_changes": integer(0, MOST_ROWS),
        "changes": list_of(integer(0, MOST_ROWS)),
    }

    def __init__(self) -> None:
        self.n_rows = self.n_tested = self.right = self.own = self.no_change = self.majority = 0
        self.classes: dict[str, int] = {}
        self.last: str | None = None
        self.most: str | None = None
        self.span = SPAN
        self.tested_in: list[int] = []
        self.right_in: list[int] = []
        self.own_in: list[int] = []
        self.n_changes = 0
        self.changes: list[int] = []

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless spans, classes and rows fit together."""
        if len(state["tested_in"]) != -(-state["n_rows"] // state["span"]):
            raise InvalidStateError("a KeyRecord whose spans are not those of its rows")
        if len(state["tested_in"]) > MOST_SPANS or len(state["changes"]) > MOST_CHANGES:
            raise InvalidStateError("a KeyRecord of too many spans or changes")
        if len(state["classes"]) > MOST_CLASSES or state["most"] not in (None, *state["classes"]):
            raise InvalidStateError("a KeyRecord that has not counted its classes")

    def update(self, labels: list[str], said: list[str | None], own: list[str | None]) -> None:
        """Count rows that were learned, what was answered and what the own model said."""
        classes = self.classes
        for label, answer, mine in zip(labels, said, own):
            if self.n_rows % self.span == 0:
                self._open_span()
            if answer is not None:
                self.n_tested += 1
                self.tested_in[-1] += 1
                if answer == label:
                    self.right += 1
                    self.right_in[-1] += 1
                if mine == label:
                    self.own += 1
                    self.own_in[-1] += 1
                self.no_change += self.last == label
                self.majority += self.most == label
            self.n_rows += 1
            self.last = label
            n = classes.get(label, 0) + 1
            if n > 1 or len(classes) < MOST_CLASSES:
                classes[label] = n
                if self.most is None or n > classes[self.most]:
                    self.most = label

    def note_changes(self, after: list[int]) -> None:
        """Take note that the errors of the own model changed after so many rows."""
        self.n_changes += len(after)
        self.changes = [*self.changes, *after][-MOST_CHANGES:]

    def accuracy(self, spans: int | None = None) -> dict[str, float | None]:
        """Return the share of tested rows that were right.

        Parameters
        ----------
        spans : int, optional
            Of so many newest spans, of which the baselines are not known; by default of all rows.
        """
        if spans is None:
            n = self.n_tested
            found = {"predictions": self.right, "own": self.own, "no change": self.no_change,
                     "majority": self.majority}  # fmt: skip
        else:
            n = sum(self.tested_in[-spans:])
            found = {"predictions": sum(self.right_in[-spans:]), "own": sum(self.own_in[-spans:])}
        return {name: count / n if n else None for name, count in found.items()}

    def _open_span(self) -> None:
        if len(self.tested_in) == MOST_SPANS:
            for name in ("tested_in", "right_in", "own_in"):
                counts = getattr(self, name)
                setattr(self, name, [a + b for a, b in zip(counts[::2], counts[1::2])])
            self.span *= 2
            if self.n_rows % self.span:
                return
        self.tested_in.append(0)
        self.right_in.append(0)
        self.own_in.append(0)


class Progress(NamedTuple):
    """How all keys did together.

    Attributes
    ----------
    n_rows : int
        Rows learned.
    tested, right : int
        Rows that were answered before they were learned, and how many of these rightly.
    """

    n_rows: int
    tested: int
    right: int

    def accuracy(self) -> dict[str, float | None]:
        """Return the share of answers that were right."""
        return {"predictions": self.right / self.tested if self.tested else None}
