"""Position of a service in its log, and the latest idempotency keys."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

DAMAGED = (
    "The position of the service in the state folder is damaged. Restore the folder from a copy."
)
MAX_KEYS = 4096  # maximum number of idempotency keys; the newest are kept


class ServedPosition:
    """Position of a service, which is stored together with the model.

    Parameters
    ----------
    stored : dict
        The position as JSON values, to which missing entries are added; updated in place.

    Attributes
    ----------
    sequence : int
        Number of the last log entry used for training.
    rows : int
        Number of training rows received through the service.
    """

    def __init__(self, stored: dict[str, Any]):
        if type(stored) is not dict:
            raise ValueError(DAMAGED)
        self._stored = stored
        for name, value in (("sequence", 0), ("rows", 0), ("keys", {})):
            stored.setdefault(name, value)
        counts, keys = (stored["sequence"], stored["rows"]), stored["keys"]
        is_valid = all(type(count) is int and count >= 0 for count in counts)
        if not is_valid or type(keys) is not dict or not all(map(_is_request, keys.values())):
            raise ValueError(DAMAGED)

    @classmethod
    def of(cls, content: bytes | None) -> ServedPosition:
        """Return the position from its bytes; None stands for the initial position."""
        try:
            return cls(json.loads(content or b"{}"))
        except json.JSONDecodeError:
            raise ValueError(DAMAGED) from None

    def content(self) -> bytes:
        """Serialize the position."""
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
        """Return sequence and rows of the earlier training request with this key, or None.

        Raises
        ------
        ValueError
            If the key was used with a different body.
        """
        found = self._stored["keys"].get(_digest(key.encode("utf-8"))) if key else None
        if found is None:
            return None
        sequence, rows, body_digest = found
        if body_digest != _digest(body):
            raise ValueError(
                "this idempotency key was used for a different request. Use a new key."
            )
        return {"sequence": sequence, "rows": rows}

    def advance(self, sequence: int, rows: int, key: str, body: bytes) -> None:
        """Record a request that was used for training."""
        self._stored["sequence"] = sequence
        self._stored["rows"] += rows
        if key:
            keys = self._stored["keys"]
            keys[_digest(key.encode("utf-8"))] = [sequence, rows, _digest(body)]
            while len(keys) > MAX_KEYS:
                del keys[next(iter(keys))]


def _is_request(known: Any) -> bool:
    """Return whether a stored value describes a request: its number, rows and digest."""
    return type(known) is list and [*map(type, known)] == [int, int, str]


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
