"""What a service needs of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from driftlearn.ops.serving.position import ServedPosition
from driftlearn.ops.serving.request_rows import Rows


class StoreFailure(OSError):
    """Trouble with a store, after which a model in memory is no longer what was learned.

    It is to be opened anew, and what is in the log is to be learned again.
    """


@dataclass(frozen=True)
class Facts:
    """What is told of a model.

    Attributes
    ----------
    learner : str
        The learner, as it was asked for.
    labels : list of str
        The labels so far.
    waiting : int
        Rows that wait to be a chunk.
    accuracy : dict of (str, str) to float
        The share of rows that were right before they were learned, by who said it (``model`` and
        baselines) and over which rows (``all``, ``lately``).
    drifts : dict of str to int
        Changes of the error for the ``worse`` and for the ``better``.
    events : dict of str to int
        Events by kind.
    keys : int or None
        How many keys there are, where each has a model.
    """

    learner: str
    labels: list[str]
    waiting: int
    accuracy: dict[tuple[str, str], float]
    drifts: dict[str, int]
    events: dict[str, int]
    keys: int | None = None


class Reader(Protocol):
    """A model of one moment; any number of threads may ask it, and none waits for the writer.

    Attributes
    ----------
    n_rows : int
        Rows that it has learned.
    is_ready : bool
        Whether it can predict.
    at_once : int
        Bytes of a body that is answered at once: handing it to a thread would cost more.
    """

    n_rows: int
    is_ready: bool
    at_once: int

    def check(self, rows: Rows) -> None:
        """Raise `RequestError` unless these rows can be learned."""

    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """Return for each row its ``label``, and what else is known of it."""

    def facts(self) -> Facts:
        """Return what is told of the model."""


class ServedModel(Protocol):
    """A model behind a service: one thread calls it, and gives readers to all others.

    Whatever it does may raise `StoreFailure`.

    Attributes
    ----------
    position : ServedPosition
        Its position in the log of the service.
    is_full : bool
        Whether what was not saved yet takes so much memory that it should be saved now.
    """

    position: ServedPosition

    @property
    def is_full(self) -> bool:
        """See the class."""

    def learn(self, requests: Sequence[Rows]) -> list[dict[str, Any]]:
        """Predict rows, learn them; return of each request what was said, and how many learned.

        The model is the same however requests are handed over, one by one or several at a time.
        """

    def reader(self) -> Reader:
        """Return the model of this moment."""

    def save(self) -> None:
        """Write model and position at one stroke."""
