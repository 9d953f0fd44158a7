"""Rows in messages: JSON objects or string fields."""

import json
from collections.abc import Collection
from hashlib import sha256
from typing import Any, NamedTuple

from driftlearn.tables.csv_parser import MISSING

PLAIN = (str, int, float, bool, type(None))


class Message(NamedTuple):
    """Message received from a server.

    Attributes
    ----------
    id : str or int
        Id or offset of the message.
    time : int
        Time at which the server received the message, in milliseconds since 1970.
    content : bytes or dict of bytes to bytes
        The body, or fields with their values.
    headers : dict of str to bytes
        Headers of the message, if the server supports them.
    """

    id: Any
    time: int
    content: Any
    headers: dict[str, bytes] = {}

    @property
    def digest(self) -> str:
        """Digest that distinguishes messages with the same id."""
        digest = sha256()
        for part in self._parts():
            digest.update(b"%d:" % len(part) + part)
        return digest.hexdigest()

    @property
    def size(self) -> int:
        """Size of the message in bytes."""
        return sum(map(len, self._parts()))

    def _parts(self) -> list[bytes]:
        if isinstance(self.content, dict):
            return [part for field in self.content.items() for part in field]
        return [self.content or b""]


def row_of(content: Any, encoding: str, missing: Collection[str]) -> dict[str, Any]:
    """Return the row in a message; raise ValueError if the message is not a row.

    Parameters
    ----------
    content : bytes or dict of bytes to bytes
        JSON in UTF-8, which may be the only field, or string fields.
    encoding : str
        Encoding of string fields.
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
            kind = type(value).__name__
            raise ValueError(f"{name!r} is a {kind}, not a number, a string, true or false")
    return {name: None if value in missing else value for name, value in row.items()}
