"""Interface between the service and its model."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from driftlearn.ops.serving.position import ServedPosition
from driftlearn.ops.serving.request_rows import RequestError, Rows
from driftlearn.utils.arguments import meant

SHOWN = 20  # maximum number of columns listed in an error message


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


class Reader(ABC):
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

    @abstractmethod
    def check(self, rows: Rows) -> None:
        """Raise `RequestError` if the model cannot be trained on these rows."""

    @abstractmethod
    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """Return the ``label`` and further fields for each row; requires `is_ready`."""

    @abstractmethod
    def facts(self) -> Facts:
        """Return a description of the model."""


class ServedModel(ABC):
    """Model of a service; a single thread updates it and provides snapshots.

    All methods may raise `StoreFailure`.

    Attributes
    ----------
    position : ServedPosition
        Position of the last log entry used for training.
    is_full : bool
        Whether unsaved changes use so much memory that the model should be saved now.
    """

    position: ServedPosition

    @property
    def is_full(self) -> bool:
        """See the class."""
        return False

    @abstractmethod
    def learn(self, requests: Sequence[Rows]) -> list[dict[str, Any]]:
        """Predict rows, then train on them; return predictions and counts of each request.

        The resulting model does not depend on how requests are split into calls.
        """

    @abstractmethod
    def reader(self) -> Reader:
        """Return a snapshot."""

    @abstractmethod
    def save(self) -> None:
        """Save model and position atomically."""


def answers(
    requests: Sequence[Rows], predictions: Sequence[Any], right: Sequence[bool]
) -> list[dict[str, Any]]:
    """Return predictions (None if there is no prediction) and counts of each request."""
    found, end = [], 0
    for each in requests:
        rows = slice(end, end := end + each.n)
        found.append(
            {
                "rows": each.n,
                "learned": each.n,
                "waiting": 0,
                "tested": sum(prediction is not None for prediction in predictions[rows]),
                "right": sum(right[rows]),
                "predictions": predictions[rows],
            }
        )
    return found


def unknown_column(name: str, known: Sequence[str]) -> RequestError:
    """Return the error about a column with which the model was not trained."""
    near = meant(name, known)
    more = "." if near else f". Its columns are {', '.join(map(repr, known[:SHOWN]))}."
    return RequestError(422, f"The model has no column {name!r}{near}{more}")


def missing_column(name: str) -> RequestError:
    """Return the error about a missing column."""
    text = f"The rows have no column {name!r}. Write null where a value is missing."
    return RequestError(422, text)
