"""Rows in messages: JSON objects, or fields of text."""

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from driftlearn.tables.csv_rows import MISSING, columns_of

PLAIN = (str, int, float, bool, type(None))


class Message(NamedTuple):
    """What a server holds under an id.

    Attributes
    ----------
    id : str or int
        Its id or offset.
    time : int
        When it came, in milliseconds, as the server says.
    content : bytes or dict of bytes to bytes
        A text, or fields with their texts.
    headers : dict of str to bytes
        What is said of it, where a server knows such a thing.
    """

    id: Any
    time: int
    content: Any
    headers: dict[str, bytes] = {}

    @property
    def digest(self) -> str:
        """What tells it from another message under the same id."""
        seen = sha256()
        for part in self._parts():
            seen.update(b"%d:" % len(part) + part)
        return seen.hexdigest()

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return sum(map(len, self._parts()))

    def _parts(self) -> list[bytes]:
        if isinstance(self.content, dict):
            return [part for field in self.content.items() for part in field]
        return [self.content or b""]


class RowReader:
    """Makes rows of messages.

    Parameters
    ----------
    encoding : str
        Of fields of text; JSON is UTF-8.
    missing : sequence of str
        More spellings of a missing value.
    """

    def __init__(self, encoding: str, missing: Sequence[str]):
        self._encoding = encoding
        self._missing = frozenset(missing)
        self._missing_text = self._missing | {*MISSING}

    def row(self, content: Any) -> dict[str, Any]:
        """Return the row that a message holds; raise ValueError with the reason if it is none."""
        if isinstance(content, dict):
            (only, *more) = content.values() or (b"",)
            if more or not only.lstrip().startswith(b"{"):
                return self._fields(content)
            content = only
        if content is None:
            raise ValueError("it is empty")
        try:
            row = json.loads(content.decode())
        except UnicodeDecodeError:
            raise ValueError("it is no UTF-8") from None
        except (ValueError, RecursionError) as problem:
            raise ValueError(f"it is no JSON ({problem})") from None
        if not isinstance(row, dict) or not row:
            raise ValueError('it is no row as {"size": 1.5, "label": "a"}')
        for name, value in row.items():
            if not isinstance(value, PLAIN):
                raise ValueError(f"{name!r} is a {type(value).__name__}, no number, text or truth")
        if self._missing:
            return {name: None if value in self._missing else value for name, value in row.items()}
        return row

    def _fields(self, content: dict[bytes, bytes]) -> dict[str, Any]:
        row = {}
        try:
            for name, value in content.items():
                text = value.decode(self._encoding)
                row[name.decode(self._encoding)] = None if text in self._missing_text else text
        except UnicodeDecodeError as problem:
            raise ValueError(f"it is no {self._encoding.upper()} ({problem.reason})") from None
        return row


def table_of(rows: Sequence[dict[str, Any]], names: Iterable[str]) -> dict[str, Any]:
    """Return rows as columns; what a row lacks is missing."""
    names = [*names]
    return columns_of(names, [[row.get(name) for name in names] for row in rows])
