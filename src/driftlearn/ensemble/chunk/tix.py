"""TIX, temporal inductive transfer."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.committee import Committee
from driftlearn.io.schema import (
    Field,
    InvalidStateError,
    a,
    able,
    labels,
    list_of,
    newer,
    number,
    optional,
)

MOST_DOUBT = 0.99  # with all doubt no class would be likelier than another


class TIXClassifier(ChunkClassifier):
    """TIX: what the older models say about a row become further features of it.

    Each chunk trains two models: one on the plain features, which joins the history, and the one
    that predicts, on the features and the labels that the history gives each row. So old
    knowledge is used where it helps, by the base learner's own judgement.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(min_samples_leaf=5)`` by default. As published:
        `TIXClassifier.as_published()`: ``estimator=CARTClassifier()``.
    n_estimators : int, default=25
        How many of the latest models are consulted; None consults all.
    recursive : bool, default=False
        Whether the history holds the predicting models themselves, each with its own added
        features, as in [1]_. Every one of them then needs those before it, so none is forgotten;
        memory and time grow with the length of the stream.
    chunk_size : int, optional
        Cut the rows into chunks of this size; by default each `partial_fit` call is a chunk, and
        `fit` cuts a table of 2,500 rows or more into 5 to 20.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), with the n rows and k classes of a chunk.
    random_state : int, RandomState instance or None
        Seed.
    n_jobs : int, optional
        Threads for training; the result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels known, sorted.
    members_ : Table
        One row a member; the members are the history.
    history_ : History
        The voting weights over time.
    step_ : int
        The chunks learned; after `fit`, those that the table was cut into.

    Notes
    -----
    A label becomes one 0/1 column for each class known at the time, or a single column while at
    most two are known.

    The shares of classes in the leaves of a tree are of the very rows that it was grown from, and
    much too sure of themselves. So the probabilities p of the predicting model are drawn towards
    equal ones, 1 / K with K classes: ``(1 - d) p + d / K``. The doubt d is what would have made
    the squared error least on the newest chunk before it was learned, from 0 to 0.99; it is 0
    after the first. The likeliest class remains that of the model. On weather in chunks of 500 the
    Brier score (`driftlearn.evaluate.metrics.brier_score`) is 0.190 by that, 0.217 without it; that
    of the class priors is 0.216.

    References
    ----------
    .. [1] G. Forman, "Tackling concept drift by temporal inductive transfer", SIGIR 2006,
       doi:10.1145/1148170.1148216.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=10_000, noise=0.1, random_state=0), TIXClassifier()
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> len(model.members_)
    25
    """

    STATE: ClassVar[dict[str, Field]] = {
        **ChunkClassifier.STATE,
        "sources_": optional(a(Committee)),
        "final_": optional(able("predict")),
        "known_": optional(list_of(labels(None))),
        "doubt_": newer(number(0, MOST_DOUBT)),
    }
    _parameter_constraints = {**ChunkClassifier._parameter_constraints, "recursive": ["boolean"]}
    doubt_: float = 0.0  # where a file is from before there was doubt

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = 25,
        *,
        recursive: bool = False,
        chunk_size: int | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.recursive = recursive
        self.chunk_size = chunk_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the predicting model has its sources, and they their classes."""
        if not state.get("committee_"):
            return
        if "sources_" not in state or "final_" not in state:
            raise InvalidStateError("a learner without the model that predicts")
        if state["recursive"] and len(state.get("known_", ())) <= len(state["sources_"]):
            raise InvalidStateError("a learner does not know which classes its models were told of")

    def _passes_rows(self) -> bool:
        return False  # labels become columns beside the features

    def _learn(self, chunk: Chunk) -> None:
        committee = self.committee_
        known = len(committee) > 0
        self.doubt_ = doubt(self._own_probas(chunk.X), chunk.y, chunk.w) if known else 0.0
        if not self.recursive:  # where models differ in their features
            committee.pack()
        self.sources_ = committee.draft()
        if self.recursive:
            self.known_ = [*getattr(self, "known_", []), self.classes_]
        known_and_said = chunk.with_features(self._augmented(chunk.X))
        models = self._train_all([known_and_said, chunk][: 1 if self.recursive else 2])
        self.final_ = models[0]
        committee.add(models[-1], weight=1.0, created_at=self.step_)
        if not self.recursive:
            committee.truncate(self.n_estimators)

    def _augmented(self, X: np.ndarray) -> np.ndarray:
        """Return the features of the predicting model: the row, and what its sources say."""
        if not self.recursive:
            said = self.sources_.labels(X)
            return with_labels(X, said, len(self.sources_.classes))
        said = np.zeros((0, len(X)), dtype=np.int32)
        for k, model in enumerate(self.sources_.models):
            own = self._labels_of(model, self._with_latest(X, said, self.known_[k]))
            said = np.vstack([said, own])
        return self._with_latest(X, said, self.known_[-1])

    def _with_latest(self, X: np.ndarray, said: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Append the latest labels, coded by the classes known when the model was trained."""
        if self.n_estimators is not None:
            said = said[-self.n_estimators :] if len(said) else said
        return with_labels(X, np.searchsorted(known, self.classes_[said]), len(known))

    def _own_probas(self, X: np.ndarray) -> np.ndarray:
        return self._probas_of(self.final_, self._augmented(X))

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return (1.0 - self.doubt_) * self._own_probas(X) + self.doubt_ / len(self.classes_)


def doubt(probas: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """Return how far towards equal ones probabilities had to be drawn for the least squared error.

    Examples
    --------
    >>> doubt(np.array([[1.0, 0.0]] * 4), np.array([0, 0, 0, 1]), np.ones(4))
    0.5
    """
    wrong = probas - (y[:, None] == np.arange(probas.shape[1]))
    sure = probas - 1 / probas.shape[1]
    most: float = w @ (sure * sure).sum(axis=1)
    return float(np.clip(w @ (sure * wrong).sum(axis=1) / most, 0, MOST_DOUBT)) if most else 0.0


def with_labels(X: np.ndarray, said: np.ndarray, n_classes: int) -> np.ndarray:
    """Append class codes as features: one 0/1 column a class, or a single one for two classes."""
    if n_classes <= 2:
        return np.ascontiguousarray(np.hstack([X, said.T]))
    columns = (said.T[:, :, None] == np.arange(n_classes)).reshape(len(X), -1)
    return np.ascontiguousarray(np.hstack([X, columns]))
