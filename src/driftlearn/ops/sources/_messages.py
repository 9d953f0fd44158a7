"""Rows in messages: JSON objects, or fields of text."""

import json
from collections.abc import Collection
from hashlib import sha256
from typing import Any, NamedTuple

from driftlearn.tables.csv_rows import MISSING

PLAIN = (str, int, float, bool, type(None))


class Message(NamedTuple):
    """Message of a server.

    Attributes
    ----------
    id : str or int
        Its id or offset.
    time : int
        Milliseconds since 1970 at which the server received it.
    content : bytes or dict of bytes to bytes
        A text, or fields with their texts.
    headers : dict of str to bytes
        Its headers, where the server has them.
    """

    id: Any
    time: int
    content: Any
    headers: dict[str, bytes] = {}

    @property
    def digest(self) -> str:
        """Distinguishes it from another message with the same id."""
        digest = sha256()
        for part in self._parts():
            digest.update(b"%d:" % len(part) + part)
        return digest.hexdigest()

    @property
    def size(self) -> int:
        """Number of bytes."""
        return sum(map(len, self._parts()))

    def _parts(self) -> list[bytes]:
        if isinstance(self.content, dict):
            return [part for field in self.content.items() for part in field]
        return [self.content or b""]


def row_of(content: Any, encoding: str, missing: Collection[str]) -> dict[str, Any]:
    """Return the row in a message; raise ValueError with the reason if there is none.

    Parameters
    ----------
    content : bytes or dict of bytes to bytes
        JSON in UTF-8, also as the only field, or fields of text.
    encoding : str
        Encoding of fields of text.
    missing : collection of str
        Additional spellings of a missing value.
    """
    if isinstance(content, dict):
        (only, *more) = content.values() or (b"",)
        if more or not only.lstrip().startswith(b"{"):
            try:
                texts = {k.decode(encoding): v.decode(encoding) for k, v in content.items()}
            except UnicodeDecodeError as problem:
                raise ValueError(f"it is not {encoding.upper()} ({problem.reason})") from None
            return {k: None if v in missing or v in MISSING else v for k, v in texts.items()}
        content = only
    if content is None:
        raise ValueError("it is empty")
    try:
        row = json.loads(content.decode())
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"it is not JSON ({problem})") from None
    if not isinstance(row, dict) or not row:
        raise ValueError('it is not a row such as {"size": 1.5, "label": "a"}')
    for name, value in row.items():
        if not isinstance(value, PLAIN):
            text = f"{name!r} is a {type(value).__name__}, not a number, a string, true or false"
            raise ValueError(text)
    return {name: None if value in missing else value for name, value in row.items()}
