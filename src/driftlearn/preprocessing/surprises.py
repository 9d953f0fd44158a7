"""What came that the first rows did not let expect: where it was, and what became of it."""

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from driftlearn.io.schema import Field, integer, optional, word
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table

MOST = 1_000  # kinds of surprises that are kept; a table may have a new column in every call
SHOWN = 50  # characters of a value
MOST_ROWS = 2**53

#: What each surprise is, and what becomes of it.
PROBLEMS = {
    "new column": ("is new", "it is left out"),
    "missing column": ("is not there", "its values count as missing"),
    "no number": ("holds {value}, which is no number", "it counts as missing"),
    "no date": (
        "holds {value}, which is no date as 2024-01-31 or 2024-01-31T12:00",
        "it counts as missing",
    ),
    "no boolean": ("holds {value}, which is neither true nor false", "it counts as missing"),
    "too large": ("holds {value}: numbers lie between -1e75 and 1e75", "it counts as missing"),
    "other type": ("holds {value} where it held text", "it counts as the category of that name"),
}


class SurpriseWarning(UserWarning):
    """A surprise is met for the first time; ``args[0]`` is the sentence that tells of it."""


@dataclass(frozen=True)
class Surprise:
    """Something in a column that its first rows did not let expect.

    Attributes
    ----------
    column : str
        The column.
    problem : str
        What it is: "new column", "missing column", "no number", "no date", "no boolean",
        "too large" or "other type".
    file : str or None
        The file in which it was met first, if one was named.
    row : int
        The row in which it was met first: of the file, or else of all rows; the first is 0.
    value : str
        What was there, as text.
    count : int
        How many rows had it.

    Examples
    --------
    >>> print(Surprise("age", "no number", "may.csv", 17, "'old'", 1))
    may.csv, row 17: column 'age' holds 'old', which is no number; it counts as missing
    """

    STATE: ClassVar[dict[str, Field]] = {
        "column": word(),
        "problem": word(*PROBLEMS),
        "file": optional(word(), needed=True),
        "row": integer(0, MOST_ROWS),
        "value": word(),
        "count": integer(1, MOST_ROWS),
    }

    column: str
    problem: str
    file: str | None
    row: int
    value: str
    count: int

    @property
    def where(self) -> str:
        """File and row as text."""
        return f"row {self.row}" if self.file is None else f"{printable(self.file)}, row {self.row}"

    @property
    def what(self) -> str:
        """What is the matter, as a sentence without its end."""
        what = PROBLEMS[self.problem][0].format(value=self.value)
        return f"{self.where}: column {self.column!r} {what}"

    @property
    def becomes(self) -> str:
        """What becomes of it, as a sentence without its end."""
        return PROBLEMS[self.problem][1]

    def __str__(self) -> str:
        return f"{self.what}; {self.becomes}"


def shown(value: Any) -> str:
    """Return a value as a short text that a terminal only shows."""
    text = printable(repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def added(known: list[Surprise], new: list[Surprise]) -> list[Surprise]:
    """Return known surprises and new ones; the same in the same column is counted."""
    found = {(each.column, each.problem): each for each in known}
    for each in new:
        before = found.get((each.column, each.problem))
        if before is not None:
            found[each.column, each.problem] = replace(before, count=before.count + each.count)
        elif len(found) < MOST:
            found[each.column, each.problem] = each
    return list(found.values())


def table_of(surprises: list[Surprise]) -> Table:
    """Return surprises as a table, a row each."""
    names = [field.name for field in fields(Surprise)]
    return Table({name: [getattr(each, name) for each in surprises] for name in names})
