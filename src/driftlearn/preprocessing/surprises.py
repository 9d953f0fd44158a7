"""Surprises: deviations of later rows from the columns and kinds of the first ones."""

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from driftlearn.io.schema import Field, integer, optional, word
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table

MOST = 1_000  # maximum number of recorded warnings; every call may bring a new column
SHOWN = 50  # maximum characters of a value
MOST_ROWS = 2**53

#: Description of each problem and its consequence.
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
    """Warning of the first surprise of its kind in a column; ``args[0]`` describes it."""


@dataclass(frozen=True)
class Surprise:
    """Deviation of a column from what its first rows contained.

    Attributes
    ----------
    column : str
        Name of the column.
    problem : str
        Kind of problem: "new column", "missing column", "no number", "no date", "no boolean",
        "too large" or "other type".
    file : str or None
        Name of the source in which it occurred first, if it has one.
    row : int
        Row in which it occurred first, of the source or of all rows; the first row is 0.
    value : str
        The value in that row, as text.
    count : int
        Number of rows with the problem.

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
        """Location and description, as a sentence without a period."""
        what = PROBLEMS[self.problem][0].format(value=self.value)
        return f"{self.where}: column {self.column!r} {what}"

    @property
    def becomes(self) -> str:
        """Consequence, as a sentence without a period."""
        return PROBLEMS[self.problem][1]

    def __str__(self) -> str:
        return f"{self.what}; {self.becomes}"


def shown(value: Any) -> str:
    """Return a value as a short text without control characters."""
    text = printable(repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def added(known: list[Surprise], new: list[Surprise]) -> list[Surprise]:
    """Return all surprises; those with the same column and problem are counted together."""
    found = {(each.column, each.problem): each for each in known}
    for each in new:
        before = found.get((each.column, each.problem))
        if before is not None:
            found[each.column, each.problem] = replace(before, count=before.count + each.count)
        elif len(found) < MOST:
            found[each.column, each.problem] = each
    return list(found.values())


def table_of(surprises: list[Surprise]) -> Table:
    """Return surprises as a table with one row each."""
    names = [field.name for field in fields(Surprise)]
    return Table({name: [getattr(each, name) for each in surprises] for name in names})
