"""Position of a service in its log, and the latest idempotency keys."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

DAMAGED = "The position of the service in the state folder is damaged. Restore it from a copy."
MAX_KEYS = 4096  # maximum number of idempotency keys; the newest are kept


class ServedPosition:
    """Position of a service, which is stored together with the model.

    Parameters
    ----------
    stored : dict
        The position as JSON values.

    Attributes
    ----------
    sequence : int
        Number of the last log entry used for training.
    rows : int
        Number of training rows received through the service.
    keys : dict
        Sequence, rows and digest of the body of the newest requests, by the digest of their key.
    """

    def __init__(self, stored: dict[str, Any]):
        if type(stored) is not dict:
            raise ValueError(DAMAGED)
        self.sequence, self.rows = stored.get("sequence", 0), stored.get("rows", 0)
        self.keys = keys = stored.get("keys", {})
        is_valid = all(type(n) is int and n >= 0 for n in (self.sequence, self.rows))
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
        return json.dumps(vars(self)).encode()

    def known(self, key: str, body: bytes) -> dict[str, Any] | None:
        """Return sequence and rows of the earlier training request with this key, or None.

        Raises
        ------
        ValueError
            If the key was used with a different body.
        """
        found = self.keys.get(_digest(key.encode("utf-8"))) if key else None
        if found is None:
            return None
        sequence, rows, body_digest = found
        if body_digest != _digest(body):
            text = "this idempotency key was used for a different request. Use a new key."
            raise ValueError(text)
        return {"sequence": sequence, "rows": rows}

    def advance(self, sequence: int, rows: int, key: str, body: bytes) -> None:
        """Record a request that was used for training."""
        self.sequence = sequence
        self.rows += rows
        if key:
            self.keys[_digest(key.encode("utf-8"))] = [sequence, rows, _digest(body)]
            while len(self.keys) > MAX_KEYS:
                del self.keys[next(iter(self.keys))]


def _is_request(known: Any) -> bool:
    """Return whether a stored value describes a request: its number, rows and digest."""
    return type(known) is list and [*map(type, known)] == [int, int, str]


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
