"""The interface between the service and its model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from driftlearn.ops.serving.position import ServedPosition
from driftlearn.ops.serving.request_rows import Rows


class StoreFailure(OSError):
    """Failure of a store after which the model in memory differs from what was learned.

    The model must be opened again, and the entries of the log must be learned again.
    """


@dataclass(frozen=True)
class Facts:
    """Description of a model for the page and the metrics.

    Attributes
    ----------
    learner : str
        The learner, as in the settings.
    labels : list of str
        The labels so far.
    waiting : int
        Rows that wait for their chunk to be complete.
    accuracy : dict of (str, str) to float
        Prequential accuracy by source (``model`` and baselines) and window (``all``, ``recent``).
    drifts : dict of str to int
        Changes of the error, ``worse`` and ``better``.
    events : dict of str to int
        Events by kind.
    keys : int or None
        Number of keys, if there is a model for each key.
    """

    learner: str
    labels: list[str]
    waiting: int
    accuracy: dict[tuple[str, str], float]
    drifts: dict[str, int]
    events: dict[str, int]
    keys: int | None = None


class Reader(Protocol):
    """Immutable snapshot of a model, which any number of threads may use without a lock.

    Attributes
    ----------
    n_rows : int
        Rows that it has learned.
    is_ready : bool
        Whether it can predict.
    at_once : int
        Size of a request, in bytes, up to which passing it to another thread costs more than
        answering it at once.
    """

    n_rows: int
    is_ready: bool
    at_once: int

    def check(self, rows: Rows) -> None:
        """Raise `RequestError` if these rows cannot be learned."""

    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """Return for each row its ``label`` and further fields, once `is_ready`."""

    def facts(self) -> Facts:
        """Return a description of the model."""


class ServedModel(Protocol):
    """A model behind a service; a single thread updates it and provides snapshots.

    All methods may raise `StoreFailure`.

    Attributes
    ----------
    position : ServedPosition
        The last entry of the log that was learned.
    is_full : bool
        Whether unsaved changes take so much memory that the model should be saved now.
    """

    position: ServedPosition

    @property
    def is_full(self) -> bool:
        """See the class."""

    def learn(self, requests: Sequence[Rows]) -> list[dict[str, Any]]:
        """Predict rows and learn them; return for each request its predictions and counts.

        The model does not depend on whether requests are passed one by one or together.
        """

    def reader(self) -> Reader:
        """Return a snapshot."""

    def save(self) -> None:
        """Save model and position atomically."""
