"""Data on its way out: what it must not become on a terminal, in a spreadsheet, as a file's name.

Labels, names of learners, streams and files, and texts of errors are other people's words. All that
is printed goes through `printable`, be it by `driftlearn.utils.terminal` or by the command line.
"""

from __future__ import annotations

import re

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what spreadsheets take for the start of a formula
NAME_LENGTH = 120  # characters of a file's name; systems allow 255 bytes, and a suffix comes after


def printable(text: object, lines: bool = False) -> str:
    r"""Return data as text that a terminal only shows: what would steer it becomes visible.

    Parameters
    ----------
    text : object
        The data.
    lines : bool, default=False
        Whether ends of lines and tabs stay, as in a text of several lines.

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
    """Return a value for a CSV file; text that a spreadsheet would compute gets an apostrophe.

    Numbers stay as they are, also those that are written as text.

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


def file_name(text: str) -> str:
    """Return data as a part of a file's name that is none of another folder, on any system.

    Examples
    --------
    >>> file_name("../sea:noise=0.1")
    '..-sea-noise=0.1'
    """
    return re.sub(r"[^\w.,=+-]", "-", text)[:NAME_LENGTH]
