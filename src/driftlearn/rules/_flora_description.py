"""Concept descriptions by conjunctions of conditions, over a window of rows."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from driftlearn.io.schema import Field, InvalidStateError, flags, floats, integer, integers

Conditions = frozenset[tuple[int, float]]


class Concept:
    """Stored concept description: items without counts.

    Parameters
    ----------
    n_features : int
        Number of features.
    items : list of frozenset
        The items, in order.
    positive : frozenset
        The items that were in ADES.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "n_features": integer(1),
        "items": floats("items", "n_features", finite=False),
        "positive": flags("items"),
    }

    def __init__(self, n_features: int, items: list[Conditions], positive: frozenset[Conditions]):
        self.n_features, self.items, self.positive = n_features, items, positive

    def predict_row(self, row: Conditions) -> int:
        """Return the class of a row: 1 if an item that was in ADES matches it."""
        return int(any(item <= row for item in self.positive))

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the items are conjunctions."""
        check_items(state["items"])

    def __getstate__(self) -> dict[str, Any]:
        return {
            "n_features": self.n_features,
            "items": coded(self.items, self.n_features),
            "positive": np.array([each in self.positive for each in self.items], dtype=bool),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        items = decoded(state["items"])
        positive = frozenset(each for each, is_so in zip(items, state["positive"]) if is_so)
        self.__dict__ = Concept(state["n_features"], items, positive).__dict__


class Description:
    """Window of rows of two classes, with the items that describe the rows.

    Each row in the window has its own bit, and sets of rows (of a class, or matched by a condition
    or an item) are stored as integers, so that set operations are single bit operations. Classes
    are 0 and 1.

    Parameters
    ----------
    n_features : int
        Number of features.

    Attributes
    ----------
    rows : deque of (conditions, class, bit)
        The window, oldest first.
    items : dict of conditions to int
        The rows that each item matches, in the order in which items were created.
    came : ndarray of bool
        Whether each class has been seen.

    Examples
    --------
    >>> known = Description(n_features=2)
    >>> for row, y in (([0.0, 1.0], 1), ([0.0, 2.0], 1), ([3.0, 1.0], 0)):
    ...     conditions = conditions_of(np.array([row]))[0]
    ...     known.join(conditions, y)
    ...     known.learn(conditions, y)
    >>> known.table()
    [(((0, 0.0),), (2, 0)), (((0, 3.0), (1, 1.0)), (0, 1))]
    """

    STATE: ClassVar[dict[str, Field]] = {
        "n_features": integer(1),
        "X": floats("rows", "n_features"),
        "y": integers("rows", least=0, below=2),
        "items": floats("items", "n_features", finite=False),
        "came": flags(2),
    }

    def __init__(self, n_features: int):
        self.n_features = n_features
        self.rows: deque[tuple[Conditions, int, int]] = deque()
        self.items: dict[Conditions, int] = {}
        self.came = np.zeros(2, dtype=bool)
        self._where: dict[tuple[int, float], int] = {}
        self._of = [0, 0]

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless each item matches a row and the classes of all rows are seen."""
        check_items(state["items"])
        for item in state["items"]:
            if not (np.isnan(item) | (item == state["X"])).all(axis=1).any():
                raise InvalidStateError("An item matches no row of the window.")
        if not state["came"][state["y"]].all():
            raise InvalidStateError("A row of the window has a class that is not marked in 'came'.")

    def predict(self, rows: Iterable[Conditions]) -> list[int]:
        """Return the class of each row: 1 if an item in ADES matches it."""
        if not self.came.all():
            only = int(self.came.argmax())
            return [only for _ in rows]
        positive = self.own(1)
        return [int(any(item <= row for item in positive)) for row in rows]

    def own(self, y: int, items: dict[Conditions, int] | None = None) -> list[Conditions]:
        """Return the items that match rows of class `y` only: ADES for 1, NDES for 0."""
        items = self.items if items is None else items
        others = self._of[1 - y]
        return [item for item, rows in items.items() if not rows & others]

    def coverage(self, items: dict[Conditions, int] | None = None) -> float:
        """Return the number of rows covered by ADES per condition; -1 without positive rows."""
        if not self.came.all() or not self._of[1]:
            return -1.0
        items = self.items if items is None else items
        n_conditions = covered = 0
        for item in self.own(1, items):
            n_conditions += len(item)
            covered |= items[item]
        return covered.bit_count() / n_conditions if n_conditions else 0.0

    def join(self, row: Conditions, y: int) -> None:
        """Add a row to the window and to the rows matched by each item."""
        taken = self._of[0] | self._of[1]
        bit = ~taken & (taken + 1)  # the lowest free bit
        self.rows.append((row, y, bit))
        self.came[y] = True
        self._of[y] |= bit
        for condition in row:
            self._where[condition] = self._where.get(condition, 0) | bit
        for item in self.items:
            if item <= row:
                self.items[item] |= bit

    def forget(self, n: int) -> None:
        """Remove the `n` oldest rows, and items that match no other row."""
        gone = 0
        for _ in range(n):
            row, y, bit = self.rows.popleft()
            gone |= bit
            self._of[y] ^= bit
            for condition in row:
                self._where[condition] ^= bit
                if not self._where[condition]:
                    del self._where[condition]
        if gone:
            left = {item: rows & ~gone for item, rows in self.items.items()}
            self.items = {item: rows for item, rows in left.items() if rows}

    def learn(self, row: Conditions, y: int, items: dict[Conditions, int] | None = None) -> None:
        """Cover a row of the window by the least generalization of an item, or by a new item."""
        items = self.items if items is None else items
        others, own = self._of[1 - y], self.own(y, items)
        if any(item <= row for item in own):
            return
        best, fewest = None, self.n_features
        for item in own:
            kept = item & row
            dropped = len(item) - len(kept)
            # The strict comparison prefers the first of several equally general items.
            if kept and dropped < fewest and not self.matched(kept) & others:
                best, fewest = kept, dropped
        if best is None:
            items.setdefault(row, self.matched(row))
            return
        for item in own:
            if best <= item:
                del items[item]
        items[best] = self.matched(best)

    def matched(self, item: Conditions) -> int:
        """Return the rows of the window that an item matches, as bits."""
        rows = -1
        for condition in item:
            rows &= self._where.get(condition, 0)
        return rows

    def bound(self, most: int) -> None:
        """Keep at most `most` items, removing those that match the fewest rows first."""
        while len(self.items) > most:
            del self.items[min(self.items, key=lambda item: self.items[item].bit_count())]

    def concept(self) -> Concept:
        """Return a copy of the description for storage."""
        return Concept(self.n_features, list(self.items), frozenset(self.own(1)))

    def n_right(self, concept: Concept) -> int:
        """Return the number of rows of the window that a concept classifies correctly."""
        predicted = 0
        for item in concept.positive:
            predicted |= self.matched(item)
        return (predicted & self._of[1]).bit_count() + (~predicted & self._of[0]).bit_count()

    def recalled(self, concept: Concept) -> dict[Conditions, int]:
        """Return a concept's items, recounted and extended to cover all rows of the window."""
        counted = {item: self.matched(item) for item in concept.items}
        items = {item: rows for item, rows in counted.items() if rows}
        for row, y, _ in self.rows:
            self.learn(row, y, items)
        return items

    def table(self) -> list[tuple[tuple[tuple[int, float], ...], tuple[int, int]]]:
        """Return the items in order: conditions, and numbers of positive and negative rows."""
        negative, positive = self._of
        if not self.came.all():
            negative, positive = negative | positive, 0
        return [
            (tuple(sorted(item)), ((rows & positive).bit_count(), (rows & negative).bit_count()))
            for item, rows in self.items.items()
        ]

    def swap(self) -> None:
        """Exchange the classes 0 and 1."""
        self.rows = deque((row, 1 - y, bit) for row, y, bit in self.rows)
        self.came = self.came[::-1].copy()
        self._of.reverse()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "n_features": self.n_features,
            "X": coded([row for row, _, _ in self.rows], self.n_features),
            "y": np.array([y for _, y, _ in self.rows], dtype=np.int64),
            "items": coded(list(self.items), self.n_features),
            "came": self.came,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = Description(state["n_features"]).__dict__
        for row, y in zip(conditions_of(state["X"]), state["y"].tolist()):
            self.join(row, y)
        self.items = {item: self.matched(item) for item in decoded(state["items"])}
        self.came = state["came"]


def conditions_of(X: np.ndarray) -> list[Conditions]:
    """Return the conditions (feature, value) that hold for each row; -0.0 is 0.0."""
    return [frozenset(enumerate(row)) for row in (X + 0.0).tolist()]


def coded(items: Sequence[Conditions], n_features: int) -> np.ndarray:
    """Return items as rows of an array, with nan for features without a condition."""
    rows = np.full((len(items), n_features), np.nan)
    for row, item in zip(rows, items):
        for feature, value in item:
            row[feature] = value
    return rows


def decoded(rows: np.ndarray) -> list[Conditions]:
    """Return the items encoded by `coded`."""
    return [
        frozenset((feature, value) for feature, value in enumerate(row) if value == value)
        for row in (rows + 0.0).tolist()
    ]


def check_items(rows: np.ndarray) -> None:
    """Raise ValueError unless the rows of an array encode distinct items."""
    if np.isinf(rows).any() or np.isnan(rows).all(axis=1).any():
        raise InvalidStateError("Each item must have at least one condition and finite values.")
    if len(set(decoded(rows))) < len(rows):
        raise InvalidStateError("Two items have the same conditions.")
