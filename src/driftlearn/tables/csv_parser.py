"""Parser of CSV rows: row boundaries in bytes, and fields as columns."""

import csv
import io
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from driftlearn.utils.table import objects

BLOCK = 1 << 20  # bytes read at a time: about ten thousand rows
LARGEST = 64 << 20  # maximum bytes of a row; a larger row has an unclosed quotation mark
UNCLOSED = "it has an unclosed quotation mark"
TOO_LARGE = "it is too large"
NEWLINE, RETURN, QUOTE = 10, 13, 34
SEPARATORS = ",;\t|"  # candidates for automatic detection
#: Spellings of a missing value, as in pandas.
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>")


class Readable(Protocol):
    """Interface of a binary file with `read`."""

    def read(self, n: int, /) -> bytes:
        """Return up to `n` bytes; none at the end."""


class Form(NamedTuple):
    """Column names and syntax of a CSV file.

    Attributes
    ----------
    names : list of str
        The columns.
    sep : str
        Field separator.
    encoding : str
        Text encoding.
    missing : tuple of str
        Strings that represent missing values.
    keep_text : bool
        Whether these spellings represent missing values only in numeric columns.
    """

    names: list[str]
    sep: str
    encoding: str
    missing: tuple[str, ...]
    keep_text: bool = False


class Block(NamedTuple):
    """Complete rows of a file.

    Attributes
    ----------
    content : bytes
        Bytes of the rows, including line ends.
    starts, ends : ndarray of int
        Start of each row, and start of the next row; blank lines are not rows.
    lines : ndarray of int
        Number of lines in the block before each row.
    n_lines : int
        Number of lines.
    problem : str
        Why the block is a single line that is not a row; empty if the block consists of rows.
    """

    content: bytes
    starts: np.ndarray
    ends: np.ndarray
    lines: np.ndarray
    n_lines: int
    problem: str = ""


#: Columns, the rows of the block that they contain, and the problem of each other row.
Columns = tuple[dict[str, Any], np.ndarray, dict[int, str]]


def blocks(
    source: Readable,
    final: bool,
    sep: str = SEPARATORS,
    size: int | None = None,
    largest: float = LARGEST,
    begun: bytes = b"",
) -> Iterator[Block]:
    """Split the rest of a source, which begins with a row, into blocks of complete rows.

    Parameters
    ----------
    source : binary file
        The source.
    final : bool
        Whether a last line without line end is a row; otherwise it is not returned, because it may
        be incomplete.
    sep : str
        Separators. A quotation mark that does not follow a separator is an ordinary character, as
        in ``5" disk``.
    size : int, optional
        Number of bytes to read at a time.
    largest : int or float
        Maximum size of a row in bytes.
    begun : bytes
        Bytes that were already read from the source.
    """
    left = b""
    while True:
        # Reading at least as much as is left keeps the time for a large row linear in its size.
        n = max(size or BLOCK, len(left))
        more, begun = begun[:n] or source.read(n), begun[n:]
        left += more
        newlines, is_open = _newlines(left, sep)
        if not more and left and (final or left.endswith(b"\n")) and not is_open:
            yield _block(left, newlines)
            return
        end = int(newlines[-1]) + 1 if len(newlines) else 0
        if end:
            yield _block(left[:end], newlines)
            left = left[end:]
        elif (not more and final and left) or len(left) > largest:
            first = left.find(b"\n") + 1 or len(left)  # end of the line with the quotation mark
            problem = UNCLOSED
            if len(left) > largest:
                problem = TOO_LARGE + ", perhaps because of an unclosed quotation mark" * is_open
            yield _block(left[:first], np.zeros(0, dtype=np.intp))._replace(problem=problem)
            left = left[first:]
        elif not more:
            return
        if not more and not left:
            return


def _newlines(content: bytes, sep: str) -> tuple[np.ndarray, bool]:
    """Return the line ends outside of quotations, and whether a quotation is unclosed."""
    signs = np.frombuffer(content, dtype=np.uint8)
    newlines = np.flatnonzero(signs == NEWLINE)
    marks = np.flatnonzero(signs == QUOTE) if b'"' in content else newlines[:0]
    if not len(marks):
        return newlines, False
    begins = np.isin(signs[marks - 1], [*sep.encode(), NEWLINE, RETURN]) | (marks == 0)
    opening = np.arange(len(marks)) % 2 == 0
    doubled = np.append(False, np.diff(marks) == 1)
    # Some quotation marks are ordinary characters: check the marks one by one.
    if not (begins | doubled)[opening].all():
        marks = _quotations(marks.tolist(), begins.tolist())
    inside = np.searchsorted(marks, newlines) % 2 == 1
    return newlines[~inside], len(marks) % 2 == 1


def _quotations(marks: list[int], begins: list[bool]) -> np.ndarray:
    """Return the quotation marks that alternately open and close a field."""
    found: list[int] = []
    k = 0
    while k < len(marks):
        if len(found) % 2 == 0:
            if begins[k]:
                found.append(marks[k])
        elif k + 1 < len(marks) and marks[k + 1] == marks[k] + 1:
            k += 1  # a doubled quotation mark stands for one in the field
        else:
            found.append(marks[k])
        k += 1
    return np.array(found, dtype=np.intp)


def _block(content: bytes, newlines: np.ndarray) -> Block:
    signs = np.frombuffer(content, dtype=np.uint8)
    ends = newlines + 1
    if not len(ends) or ends[-1] < len(content):
        ends = np.append(ends, len(content))
    starts = np.concatenate([[0], ends[:-1]])
    size = ends - starts
    blank = (signs[starts] == NEWLINE) | ((signs[starts] == RETURN) & (size <= 2))
    starts, ends = starts[~blank], ends[~blank]
    every = np.flatnonzero(signs == NEWLINE)
    n_lines = len(every) + (signs[-1] != NEWLINE)
    return Block(content, starts, ends, np.searchsorted(every, starts), int(n_lines))


def read(block: Block, form: Form, numbers: Collection[str]) -> Columns:
    """Return the columns of a block; number columns are numeric if all their values are numbers."""
    if block.problem:
        return {}, np.zeros(0, dtype=np.intp), {0: block.problem}
    n = len(block.starts)
    table = _by_arrow(block, form, numbers)
    if table is not None and table.num_rows == n:
        return dict(zip(table.column_names, table.columns)), np.arange(n), {}
    return _one_by_one(block, form, numbers)


def _by_arrow(block: Block, form: Form, numbers: Collection[str]) -> Any:
    """Return a pyarrow table, or None if pyarrow is not installed or rejects a value."""
    try:
        import pyarrow
        from pyarrow import csv as arrow
    except ImportError:
        return None
    try:
        content = block.content
        if form.encoding != "utf-8":
            content = content.decode(form.encoding).encode()
        number, text = pyarrow.float64(), pyarrow.string()
        kinds = {name: number if name in numbers else text for name in form.names}
        return arrow.read_csv(
            pyarrow.BufferReader(content),
            arrow.ReadOptions(use_threads=False, block_size=len(content) + 1,
                              column_names=form.names),
            arrow.ParseOptions(delimiter=form.sep, newlines_in_values=b'"' in content),
            arrow.ConvertOptions(column_types=kinds, null_values=form.missing,
                                 strings_can_be_null=not form.keep_text),
        )  # fmt: skip
    except (pyarrow.ArrowInvalid, UnicodeError):
        return None


def _one_by_one(block: Block, form: Form, numbers: Collection[str]) -> Columns:
    """Parse each row with all fields as strings; describe what is wrong with invalid lines."""
    good, rows, broken = [], [], {}
    can_be_missing = [not form.keep_text or name in numbers for name in form.names]
    for i, (start, end) in enumerate(zip(block.starts.tolist(), block.ends.tolist())):
        try:
            fields = fields_of(block.content[start:end].decode(form.encoding), form.sep)
        except UnicodeDecodeError as problem:
            broken[i] = (
                f"byte 0x{problem.object[problem.start]:02x} is not {form.encoding.upper()} (save "
                "the file as UTF-8, or set its encoding, e.g. --encoding latin-1)"
            )
        except csv.Error as problem:
            broken[i] = str(problem)
        else:
            if len(fields) == len(form.names):
                rows.append(i)
                good.append([None if can_be and each in form.missing else each
                             for each, can_be in zip(fields, can_be_missing)])  # fmt: skip
            else:
                has = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
                broken[i] = f"it has {has} where the first line has {len(form.names)}"
    return columns_of(form.names, good), np.array(rows, dtype=np.intp), broken


def columns_of(names: list[str], rows: list[list[Any]]) -> dict[str, np.ndarray]:
    """Return rows of values as object arrays, one per column."""
    columns = [*zip(*rows)] if rows else [()] * len(names)
    return {name: objects(column) for name, column in zip(names, columns)}


def fields_of(text: str, sep: str) -> list[str]:
    """Return the fields of one row; raise csv.Error if the text contains several rows."""
    fields, *more = csv.reader(io.StringIO(text, newline=""), delimiter=sep)
    if more:
        raise csv.Error("it contains a line break")
    return fields
