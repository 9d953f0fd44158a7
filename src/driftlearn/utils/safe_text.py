"""Escaping of data for terminals, spreadsheets and file names.

Labels, error messages, and names of learners, streams and files are external data and may contain
control characters. All printed data passes through `printable`, in `driftlearn.utils.terminal` or
in the command line.
"""

import csv
import io
import os
import re
from collections.abc import Iterable
from typing import Any, TextIO

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # spreadsheets interpret these as the start of a formula
NAME_LENGTH = 120  # maximum characters of a file name; systems allow 255 bytes including the suffix


def can_redraw(file: TextIO) -> bool:
    """Return whether a file is a terminal that moves the cursor; dumb ones only print lines."""
    return file.isatty() and os.environ.get("TERM") != "dumb"


def printable(text: object, lines: bool = False) -> str:
    r"""Return data as a string with visible escapes for control characters.

    Parameters
    ----------
    text : object
        The data.
    lines : bool, default=False
        Whether to keep line breaks and tabs.

    Examples
    --------
    >>> print(printable("\x1b[31mred\n"))
    \x1b[31mred\n
    """
    text = str(text)
    if text.isprintable():
        return text
    kept = " \n\t" if lines else " "
    return "".join(
        c if c.isprintable() or c in kept else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def in_csv(value: object) -> object:
    """Return a value for a CSV file; strings that look like formulas are prefixed with ``'``.

    Numbers, including numeric strings, are unchanged.

    Examples
    --------
    >>> in_csv("=1+1"), in_csv("-1"), in_csv(-1.5)
    ("'=1+1", '-1', -1.5)
    """
    if not isinstance(value, str) or not value.startswith(FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def csv_lines(rows: Iterable[Iterable[Any]]) -> bytes:
    """Return rows of values as lines of a CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(map(in_csv, row) for row in rows)
    return text.getvalue().encode()


def file_name(text: str) -> str:
    """Return data as part of a file name, valid on any system and without folders.

    Examples
    --------
    >>> file_name("../sea:noise=0.1")
    '..-sea-noise=0.1'
    """
    return re.sub(r"[^\w.,=+-]", "-", text)[:NAME_LENGTH]
