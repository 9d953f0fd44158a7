"""The interface between the service and its model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from driftlearn.ops.serving.position import ServedPosition
from driftlearn.ops.serving.request_rows import RequestError, Rows
from driftlearn.utils.arguments import meant

SHOWN = 20  # columns listed in an error message


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
    accuracy : dict of (str, str) to float
        Prequential accuracy by source (``model`` and baselines) and window (``all``, ``recent``).
    events : dict of str to int
        Events by kind.
    drifts : dict of str to int
        Changes of the error, ``worse`` and ``better``.
    waiting : int
        Rows that wait for their chunk to be complete.
    keys : int or None
        Number of keys, if there is a model for each key.
    """

    learner: str
    labels: list[str]
    accuracy: dict[tuple[str, str], float]
    events: dict[str, int]
    drifts: dict[str, int]
    waiting: int = 0
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
        return False

    def learn(self, requests: Sequence[Rows]) -> list[dict[str, Any]]:
        """Predict rows and learn them; return for each request its predictions and counts.

        The model does not depend on whether requests are passed one by one or together.
        """

    def reader(self) -> Reader:
        """Return a snapshot."""

    def save(self) -> None:
        """Save model and position atomically."""


def answers(
    requests: Sequence[Rows], predictions: Sequence[Any], right: Sequence[bool]
) -> list[dict[str, Any]]:
    """Return for each request the predictions for its rows, None without one, and counts."""
    found, end = [], 0
    for each in requests:
        rows = slice(end, end := end + each.n)
        found.append({
            "rows": each.n, "learned": each.n, "waiting": 0,
            "tested": sum(prediction is not None for prediction in predictions[rows]),
            "right": sum(right[rows]), "predictions": predictions[rows],
        })  # fmt: skip
    return found


def unknown_column(name: str, known: Sequence[str]) -> RequestError:
    """Return the error about a column that the model was not trained with."""
    near = meant(name, known)
    more = "." if near else f". Its columns are {', '.join(map(repr, known[:SHOWN]))}."
    return RequestError(422, f"The model has no column {name!r}{near}{more}")


def missing_column(name: str) -> RequestError:
    """Return the error about a missing column."""
    text = f"The rows have no column {name!r}. Write null where a value is missing."
    return RequestError(422, text)
