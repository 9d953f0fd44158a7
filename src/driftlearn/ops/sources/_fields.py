"""Rows of a CSV file as columns: by pyarrow where it is installed and all is well, else slowly."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from driftlearn.ops.sources._rows_in_bytes import Block


class Form(NamedTuple):
    """How a CSV file is written.

    Attributes
    ----------
    names : list of str
        Its columns.
    sep : str
        What separates fields.
    encoding : str
        Of its text.
    missing : tuple of str
        What stands for a missing value.
    """

    names: list[str]
    sep: str
    encoding: str
    missing: tuple[str, ...]


class Read(NamedTuple):
    """Columns, which rows of the block they are of, and what is the matter with the others."""

    table: Any
    rows: np.ndarray
    broken: dict[int, str]


def read(block: Block, form: Form, numbers: Collection[str]) -> Read:
    """Return the columns of a block; those of numbers as such where all of them are."""
    n = len(block.starts)
    if block.is_open:
        why = "a quotation mark is opened and never closed"
        return Read({}, np.zeros(0, dtype=np.intp), {0: why})
    table = _by_arrow(block, form, numbers)
    if table is not None and table.num_rows == n:
        return Read(table, np.arange(n), {})
    return _one_by_one(block, form)


def _by_arrow(block: Block, form: Form, numbers: Collection[str]) -> Any:
    """Return a table of pyarrow, or None if it is not installed or does not like a value."""
    try:
        import pyarrow
        from pyarrow import csv as arrow
    except ImportError:
        return None
    try:
        content = block.content
        if form.encoding != "utf-8":
            content = content.decode(form.encoding).encode()
        kinds = {
            name: pyarrow.float64() if name in numbers else pyarrow.string() for name in form.names
        }
        return arrow.read_csv(
            pyarrow.BufferReader(content),
            arrow.ReadOptions(use_threads=False, block_size=len(content) + 1,
                              column_names=form.names),
            arrow.ParseOptions(delimiter=form.sep, newlines_in_values=b'"' in content),
            arrow.ConvertOptions(column_types=kinds, null_values=form.missing,
                                 strings_can_be_null=True),
        )  # fmt: skip
    except (pyarrow.ArrowInvalid, UnicodeError):
        return None


def _one_by_one(block: Block, form: Form) -> Read:
    """Read rows by themselves, all as text; say of each that is none why."""
    good, rows, broken = [], [], {}
    for i, (start, end) in enumerate(zip(block.starts.tolist(), block.ends.tolist())):
        try:
            fields = fields_of(block.content[start:end].decode(form.encoding), form.sep)
        except UnicodeDecodeError as problem:
            broken[i] = (
                f"byte 0x{problem.object[problem.start]:02x} is no {form.encoding.upper()}; "
                "--encoding says what the file is written in, as latin-1"
            )
            continue
        except csv.Error as problem:
            broken[i] = str(problem)
            continue
        if len(fields) != len(form.names):
            has = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            broken[i] = f"it has {has} where the first line has {len(form.names)}"
            continue
        good.append([None if each in form.missing else each for each in fields])
        rows.append(i)
    return Read(columns_of(form.names, good), np.array(rows, dtype=np.intp), broken)


def columns_of(names: list[str], rows: list[list[Any]]) -> dict[str, np.ndarray]:
    """Return rows as columns of objects."""
    columns = [*zip(*rows)] if rows else [()] * len(names)
    table = {}
    for name, column in zip(names, columns):
        table[name] = values = np.empty(len(rows), dtype=object)
        values[:] = column
    return table


def fields_of(text: str, sep: str) -> list[str]:
    """Return the fields of one row; raise csv.Error if it turns out to be several."""
    fields, *more = csv.reader(io.StringIO(text, newline=""), delimiter=sep)
    if more:
        raise csv.Error("a line ends inside of it")
    return fields
