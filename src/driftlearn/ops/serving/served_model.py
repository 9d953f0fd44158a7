"""Interface between the service and its model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

from driftlearn.inspection.inspection import Inspection
from driftlearn.ops.alerts.alarm import Status
from driftlearn.ops.checkpoint.inputs import texts
from driftlearn.ops.checkpoint.schema_checks import label_changes
from driftlearn.ops.serving.request_rows import MISSING, RequestError, Rows
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._table_check import policy_of, sentence
from driftlearn.utils.arguments import meant

SHOWN = 20  # maximum number of columns listed in an error message
DAMAGED = "The position of the service in the state folder is damaged. Restore it from a copy."
MAX_KEYS = 4096  # maximum number of idempotency keys; the newest are kept


class StoreFailure(OSError):
    """Failure of a store after which the model in memory is out of date.

    The model must be reopened and the log entries must be replayed.
    """


@dataclass(frozen=True)
class Facts:
    """Description of a model for the web page and the metrics.

    Attributes
    ----------
    learner : str
        The learner in the settings.
    labels : list of str
        The labels seen so far.
    accuracy : dict of (str, str) to float
        Prequential accuracy by source (``model`` and baselines) and window (``all``, ``recent``).
    events : dict of str to int
        Number of events by kind.
    drifts : dict of str to int
        Number of detected changes of the error rate, ``worse`` and ``better``.
    waiting : int
        Number of rows that wait until their chunk is complete.
    keys : int or None
        Number of keys of keyed models; None for a single model.
    """

    learner: str
    labels: list[str]
    accuracy: dict[tuple[str, str], float]
    events: dict[str, int]
    drifts: dict[str, int]
    waiting: int = 0
    keys: int | None = None


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
            raise ValueError("The idempotency key was used for a different request. Use a new key.")
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


class Reader(Protocol):
    """Immutable snapshot of a model, which threads may share without a lock.

    Attributes
    ----------
    n_rows : int
        Number of training rows of the model.
    is_ready : bool
        Whether the model can predict.
    at_once : int
        Size in bytes up to which a request is processed in the calling thread, because passing it
        to another thread costs more.
    """

    n_rows: int
    is_ready: bool
    at_once: int

    @property
    def trouble(self) -> str:
        """A problem that /health reports; empty if there is none."""
        return ""

    def check(self, rows: Rows) -> None:
        """Raise `RequestError` if the model cannot be trained on these rows."""

    def changes(self, rows: Rows) -> list[SchemaChange]:
        """Return the schema changes in rows; raise `RequestError` if the policy is "stop".

        Without a policy in the state folder, only values and columns that do not fit are rejected,
        by `check` and `predict`.
        """

    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """Return the ``label`` and further fields for each row; requires `is_ready`."""

    def facts(self) -> Facts:
        """Return a description of the model."""

    def status(self) -> Status:
        """Return the status for alerts."""

    def inspection(self) -> Inspection | None:
        """Return the inspection of a single model; None for keyed models or before training."""
        return None


class ServedModel(Protocol):
    """Model of a service; a single thread updates it and provides snapshots.

    All methods may raise `StoreFailure`.

    Attributes
    ----------
    position : ServedPosition
        Position of the last log entry used for training.
    is_full : bool
        Whether unsaved changes use so much memory that the model should be saved now.
    policy : {"stop", "warn", "note"} or None
        What readers do about a schema change; None for the policy of the state folder.
    """

    position: ServedPosition
    policy: str | None = None

    @property
    def is_full(self) -> bool:
        """See the class."""
        return False

    def learn(self, requests: Sequence[Rows]) -> list[dict[str, Any]]:
        """Predict rows, then train on them; return predictions and counts of each request.

        The resulting model does not depend on how requests are split into calls.
        """

    def reader(self) -> Reader:
        """Return a snapshot."""

    def save(self) -> None:
        """Save model and position atomically."""


def answers(
    requests: Sequence[Rows], predictions: Sequence[Any], right: Sequence[bool]
) -> list[dict[str, Any]]:
    """Return predictions (None if there is no prediction) and counts of each request."""
    found, end = [], 0
    for each in requests:
        rows = slice(end, end := end + each.n)
        found.append({
            "rows": each.n, "learned": each.n, "waiting": 0,
            "tested": sum(prediction is not None for prediction in predictions[rows]),
            "right": sum(right[rows]), "predictions": predictions[rows],
        })  # fmt: skip
    return found


def with_policy(settings: Mapping[str, Any], policy: str | None) -> dict[str, Any]:
    """Return settings with another policy for schema changes; None leaves them as they are."""
    return {**settings, **({} if policy is None else {"on_schema_change": policy})}


def new_labels(known: Sequence[str], rows: Rows, target: str) -> list[SchemaChange]:
    """Return the new labels in rows, if they have labels."""
    if target not in rows.columns:
        return []
    return label_changes(known, texts(rows.columns, target), target, "The request", 0)


def is_strict(settings: Mapping[str, Any]) -> bool:
    """Return whether requests with unknown or missing columns or malformed values are rejected."""
    return policy_of(settings, "stop") == "stop"


def accepted(changes: list[SchemaChange], settings: Mapping[str, Any]) -> list[SchemaChange]:
    """Return the schema changes of a request; raise `RequestError` if the policy is "stop"."""
    if changes and is_strict(settings):
        raise RequestError(422, f"{sentence(changes[0])}.")
    return changes


def unknown_column(name: str, known: Sequence[str]) -> RequestError:
    """Return the error about a column with which the model was not trained."""
    near = meant(name, known)
    more = "." if near else f". Its columns are {', '.join(map(repr, known[:SHOWN]))}."
    return RequestError(422, f"The model has no column {name!r}{near}{more}")


def missing_column(name: str) -> RequestError:
    """Return the error about a missing column."""
    return RequestError(422, f"The rows have no column {name!r}. {MISSING}")
