"""How learners and streams with options are written: ``learn++.mt:estimator=cart(max_depth=3)``.

This file knows the form and nothing of what the names mean; `driftlearn.workbench.names` does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

CONSTANTS: dict[str, Any] = {"true": True, "false": False, "none": None}
CLOSING = {"(": ")", "[": "]"}
_NAME = re.compile(r"[^:=,()\[\]'\"]+")
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*")
_WORD = re.compile(r"[^=,()\[\]'\"]+")
_QUOTED = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"")
_LIKE_A_NUMBER = re.compile(r"[+-]?\.?\d")


@dataclass
class Word:
    """A word, with the options behind it in parentheses if there are any.

    Attributes
    ----------
    text : str
        The word.
    column : int
        Where it begins, from 1.
    options : dict of str to value, or None
        The options; None for a word alone.
    columns : dict of str to int
        Where each option begins.
    """

    text: str
    column: int
    options: dict[str, Any] | None = None
    columns: dict[str, int] = field(default_factory=dict)


def read(text: str) -> tuple[str | None, Word]:
    """Read ``label=name:option=value,...``, label and options being optional.

    Values are numbers, true, false, none, quoted texts, words, and tuples and lists of values.

    Returns
    -------
    label : str or None
    word : Word
        The name and its options.

    Examples
    --------
    >>> label, word = read("mine=sea:noise=0.1,thresholds=(8, 9.5)")
    >>> label, word.text, word.options
    ('mine', 'sea', {'noise': 0.1, 'thresholds': (8, 9.5)})
    """
    return _Reader(text).whole()


def write(name: str, options: Mapping[str, Any]) -> str:
    """Write what `read` reads.

    Examples
    --------
    >>> write("sea", {"noise": 0.1, "thresholds": (8, 9.5)})
    'sea:noise=0.1,thresholds=(8,9.5)'
    """
    return f"{name}:{_written(options)}" if options else name


def write_value(value: Any) -> str:
    """Write a value as it is read again."""
    if isinstance(value, Word):
        return f"{value.text}({_written(value.options)})" if value.options else value.text
    if isinstance(value, tuple | list):
        opening = "(" if isinstance(value, tuple) else "["
        return opening + ",".join(map(write_value, value)) + CLOSING[opening]
    if isinstance(value, str):
        plain = _WORD.fullmatch(value) and value == value.strip() and not _odd(value)
        return value if plain else "'" + value.replace("'", "''") + "'"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _written(options: Mapping[str, Any]) -> str:
    return ",".join(f"{key}={write_value(value)}" for key, value in options.items())


def _odd(word: str) -> bool:
    """Say whether a word would not be read as the text that it is."""
    return bool(_LIKE_A_NUMBER.match(word)) or not isinstance(_constant(word), str)


def _constant(word: str) -> Any:
    if word.lower() in CONSTANTS:
        return CONSTANTS[word.lower()]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


class _Reader:
    """A text and how far it has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> tuple[str | None, Word]:
        label, word = None, self.name()
        if self.next() == "=":
            self.at += 1
            label, word = word.text, self.name()
        opening = self.next()
        if opening == ":":
            self.at += 1
            word.options, word.columns = self.options(end="")
        elif opening in CLOSING:
            self.enclosed(word)
        if self.next():
            self.stray()
        word.options = word.options or {}
        return label, word

    def fail(self, problem: str, at: int | None = None) -> NoReturn:
        column = (self.at if at is None else at) + 1
        raise ValueError(f"{problem} at column {column} of {self.text!r}")

    def next(self) -> str:
        """Pass over blanks, and tell the character that follows; '' at the end."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def name(self) -> Word:
        self.next()
        found = _NAME.match(self.text, self.at)
        if found is None:
            self.fail("a name is missing")
        word = Word(found.group().strip(), self.at + 1)
        self.at = found.end()
        return word

    def enclosed(self, word: Word) -> Word:
        """Read the options of a word, which begin here, in parentheses."""
        start = self.at
        end = CLOSING[self.text[start]]
        self.at += 1
        word.options, word.columns = self.options(end)
        self.close(end, start)
        return word

    def close(self, end: str, start: int) -> None:
        found = self.next()
        if not found:
            self.fail(f"{self.text[start]!r} is never closed", start)
        if found != end:
            self.stray()
        self.at += 1

    def stray(self) -> NoReturn:
        found = self.next()
        if found == "=":
            self.fail("unexpected '=' (write options inside options as in cart(max_depth=3))")
        self.fail(f"unexpected {found!r}")

    def options(self, end: str) -> tuple[dict[str, Any], dict[str, int]]:
        options: dict[str, Any] = {}
        columns: dict[str, int] = {}
        if end and self.next() == end:
            return options, columns
        while True:
            self.next()
            found = _KEY.match(self.text, self.at)
            if found is None:
                self.fail("an option, name=value, is missing")
            key = found.group(1)
            if key in options:
                self.fail(f"option {key!r} is given twice")
            columns[key] = self.at + 1
            self.at = found.end()
            if self.next() != "=":
                self.fail(f"option {key!r} has no '=' and value", columns[key] - 1)
            self.at += 1
            options[key] = self.value()
            if self.next() != ",":
                return options, columns
            self.at += 1

    def value(self) -> Any:
        first = self.next()
        if first in CLOSING:
            return self.items()
        if first and first in "'\"":
            quoted = _QUOTED.match(self.text, self.at)
            if quoted is None:
                self.fail(f"the quote {first} is never closed")
            self.at = quoted.end()
            return quoted.group()[1:-1].replace(first * 2, first)
        found = _WORD.match(self.text, self.at)
        if found is None:
            self.fail("a value is missing")
        start, word = self.at, found.group().strip()
        self.at = found.end()
        if self.next() in CLOSING:
            return self.enclosed(Word(word, start + 1))
        value = _constant(word)
        if isinstance(value, str):
            if _LIKE_A_NUMBER.match(word):
                self.fail(f"malformed number {word!r} (quote it if it is a text)", start)
            return Word(word, start + 1)
        return value

    def items(self) -> tuple | list:
        start = self.at
        opening = self.text[start]
        values = []
        self.at += 1
        while self.next() and self.next() != CLOSING[opening]:
            values.append(self.value())
            if self.next() != ",":
                break
            self.at += 1
        self.close(CLOSING[opening], start)
        return tuple(values) if opening == "(" else values
