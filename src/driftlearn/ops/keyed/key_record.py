"""Accuracy record of one key in a few hundred bytes."""

from typing import Any, ClassVar, NamedTuple

from driftlearn.io.schema import Field, InvalidStateError, dict_of, integer, list_of, optional, word

MAX_ROWS = 2**53
SPAN = 16  # initial rows per span
# Merging pairs of spans leaves 8 to 16 spans, so that the size of a record is bounded.
MAX_SPANS = 16
MAX_CHANGES = 8  # changes whose row numbers are stored; all changes are counted
MAX_CLASSES = 100  # classes whose rows are counted; bounds the size for labels such as ids
RECENT = 4  # number of spans that count as recent: a quarter to half of a long record
COUNTS = ("n_rows", "n_tested", "right", "own", "no_change", "majority", "n_changes")
SPANS = ("tested_in", "right_in", "own_in")


class KeyRecord:
    """Prequential accuracy of one key, with two baselines.

    The counts do not depend on how rows are split into calls. When there are 16 spans, neighboring
    spans are merged in pairs and the span length is doubled.

    Attributes
    ----------
    n_rows, n_tested : int
        Number of training rows, and of rows that were predicted before training.
    right, own, no_change, majority : int
        Number of correct predictions: by the weighted vote, by the key's own model, by repeating
        the previous label, and by the most frequent label so far.
    classes : dict of str to int
        Number of rows of each label, for the first 100 labels, in order of appearance.
    last, most : str or None
        The label of the last row, and the most frequent label.
    span : int
        Number of rows in a span.
    tested_in, right_in, own_in : list of int
        For each span: tested rows, and correct predictions by the vote and by the key's own model.
    n_changes : int
        Number of changes detected in the error rate of the key's own model.
    changes : list of int
        Number of training rows at each of the latest eight changes.
    """

    STATE: ClassVar[dict[str, Field]] = {
        **dict.fromkeys(COUNTS, integer(0, MAX_ROWS)),
        "classes": dict_of(integer(1, MAX_ROWS)),
        "last": optional(word(), needed=True),
        "most": optional(word(), needed=True),
        "span": integer(1, MAX_ROWS),
        **dict.fromkeys(SPANS, list_of(integer(0, MAX_ROWS), "spans")),
        "changes": list_of(integer(0, MAX_ROWS)),
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
        """Raise ValueError unless spans, classes and rows are consistent."""
        if len(state["tested_in"]) != -(-state["n_rows"] // state["span"]):
            raise InvalidStateError("KeyRecord: 'tested_in' does not match 'n_rows'")
        if len(state["tested_in"]) > MAX_SPANS or len(state["changes"]) > MAX_CHANGES:
            raise InvalidStateError("KeyRecord has more spans or changes than allowed")
        if len(state["classes"]) > MAX_CLASSES or state["most"] not in (None, *state["classes"]):
            raise InvalidStateError(
                "KeyRecord has too many 'classes', or 'most' is not one of them"
            )

    def update(
        self, labels: list[str], predictions: list[str | None], own: list[str | None]
    ) -> None:
        """Count training rows with the predictions of the vote and of the key's own model."""
        classes = self.classes
        for label, predicted, mine in zip(labels, predictions, own):
            if self.n_rows % self.span == 0:
                self._open_span()
            if predicted is not None:
                self.n_tested += 1
                self.tested_in[-1] += 1
                if predicted == label:
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
            if n > 1 or len(classes) < MAX_CLASSES:
                classes[label] = n
                if self.most is None or n > classes[self.most]:
                    self.most = label

    def note_changes(self, after: list[int]) -> None:
        """Record changes in the error rate of the key's own model; `after` has numbers of rows."""
        self.n_changes += len(after)
        self.changes = [*self.changes, *after][-MAX_CHANGES:]

    def accuracy(self) -> dict[str, float | None]:
        """Return the accuracy of the vote, of the key's own model and of the baselines."""
        found = {"predictions": self.right, "own": self.own, "no change": self.no_change,
                 "majority": self.majority}  # fmt: skip
        return _shares(found, self.n_tested)

    def recent_accuracy(self) -> dict[str, float | None]:
        """Return the accuracy of the vote and of the key's own model over the latest four spans."""
        found = {"predictions": sum(self.right_in[-RECENT:]), "own": sum(self.own_in[-RECENT:])}
        return _shares(found, sum(self.tested_in[-RECENT:]))

    def _open_span(self) -> None:
        if len(self.tested_in) == MAX_SPANS:
            for name in SPANS:
                counts = getattr(self, name)
                setattr(self, name, [a + b for a, b in zip(counts[::2], counts[1::2])])
            self.span *= 2
            if self.n_rows % self.span:
                return
        for name in SPANS:
            getattr(self, name).append(0)


class Progress(NamedTuple):
    """Prequential accuracy over all keys.

    Attributes
    ----------
    n_rows : int
        Number of training rows.
    tested, right : int
        Number of predicted rows, and of correct predictions.
    """

    n_rows: int
    tested: int
    right: int

    def accuracy(self) -> dict[str, float | None]:
        """Return the fraction of correct predictions."""
        return _shares({"predictions": self.right}, self.tested)


def _shares(counts: dict[str, int], n: int) -> dict[str, float | None]:
    return {name: count / n if n else None for name, count in counts.items()}
