"""How far a service is in its log, and which requests it knows again; it moves with the model."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

DAMAGED = "the position of the service, in its state folder, is damaged"
MOST_KEYS = 4096  # requests that are known again: the newest


class ServedPosition:
    """The position of a service, as plain JSON that is stored with the model.

    Parameters
    ----------
    stored : dict
        The position; it is filled if it is empty, and changed in place.

    Attributes
    ----------
    sequence : int
        The number of the last entry of the log that was done with.
    rows : int
        Rows that came through the service.
    """

    def __init__(self, stored: dict[str, Any]):
        if type(stored) is not dict:
            raise ValueError(DAMAGED)
        self._stored = stored
        for name, value in (("sequence", 0), ("rows", 0), ("keys", {})):
            stored.setdefault(name, value)
        counts = stored["sequence"], stored["rows"]
        sound = all(type(count) is int and count >= 0 for count in counts)
        sound = sound and type(stored["keys"]) is dict
        if not sound or any(not _is_key(each) for each in stored["keys"].values()):
            raise ValueError(DAMAGED)

    @classmethod
    def of(cls, content: bytes | None) -> ServedPosition:
        """Return the position that had this content; without any nothing came yet."""
        try:
            return cls(json.loads(content or b"{}"))
        except json.JSONDecodeError:
            raise ValueError(DAMAGED) from None

    def content(self) -> bytes:
        """Return it as bytes."""
        return json.dumps(self._stored).encode()

    @property
    def sequence(self) -> int:
        """See the class."""
        return int(self._stored["sequence"])

    @property
    def rows(self) -> int:
        """See the class."""
        return int(self._stored["rows"])

    def known(self, key: str, body: bytes) -> dict[str, Any] | None:
        """Return what is known of a request by its key, None if it is new.

        Raises
        ------
        ValueError
            If the key was that of another body.
        """
        found = self._stored["keys"].get(_digest(key.encode("utf-8"))) if key else None
        if found is None:
            return None
        sequence, rows, body_digest = found
        if body_digest != _digest(body):
            raise ValueError("this idempotency key was used for another request: take a new one")
        return {"sequence": sequence, "rows": rows}

    def advance(self, sequence: int, rows: int, key: str, body: bytes) -> None:
        """Take note that a request was done with."""
        self._stored["sequence"] = sequence
        self._stored["rows"] += rows
        if key:
            keys = self._stored["keys"]
            keys[_digest(key.encode("utf-8"))] = [sequence, rows, _digest(body)]
            while len(keys) > MOST_KEYS:
                del keys[next(iter(keys))]


def _is_key(known: Any) -> bool:
    """Tell whether this is what is known of a request: its number, its rows and its digest."""
    return type(known) is list and [*map(type, known)] == [int, int, str]


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
