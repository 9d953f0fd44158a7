"""DIC, the dynamic integration of classifiers."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.chunk import Chunk
from driftlearn.base.validation import nominal_columns
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.member_weights import weighted_error
from driftlearn.ensemble.neighborhood import heom, local_accuracy
from driftlearn.ensemble.votes import tally_each
from driftlearn.io.schema import Field, InvalidStateError, flags, floats, optional
from driftlearn.utils.ranges import ranges


class DICClassifier(ChunkClassifier):
    """DIC: whoever was right near a row speaks for it.

    The newest chunk is kept, with who was right where. A row is then decided by the members'
    accuracy among its nearest neighbours there. The newest model is judged by cross-validation
    inside its own chunk, or it would look perfect everywhere.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(min_samples_leaf=5)`` by default. As published:
        `DICClassifier.as_published()`: ``estimator=CARTClassifier()``.
    n_estimators : int, default=25
        The most members kept, the oldest goes; None keeps all.
    selection : {"dvs", "dv", "ds"}, default="dvs"
        "ds": the locally best member alone. "dv": all vote, weighted by local accuracy. "dvs":
        the locally poor ones are dropped first, then the others vote.
    n_neighbors : int, default=7
        Neighbours that define "near".
    drop : {"interval", "count"}, default="interval"
        Who is poor for "dvs": whose local error lies in the upper half of the interval between
        the least and the greatest, as in [1]_, or the worse half by number, as Sun, Tang, Zhu
        and Yao [2]_ have it.
    nominal_features : array-like, optional
        Columns (or a mask) whose values are names: two are either equal or not.
    n_folds : int, default=10
        Folds for judging the newest model.
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
        One row a member; the weight shown is the accuracy on the newest chunk.
    history_ : History
        The voting weights over time.
    step_ : int
        The chunks learned; after `fit`, those that the table was cut into.

    References
    ----------
    .. [1] A. Tsymbal, M. Pechenizkiy, P. Cunningham, S. Puuronen, "Dynamic integration of
       classifiers for handling concept drift", Information Fusion 9(1), 2008,
       doi:10.1016/j.inffus.2006.11.002.
    .. [2] Y. Sun, K. Tang, Z. Zhu, X. Yao, "Concept Drift Adaptation by Exploiting Historical
       Knowledge", IEEE Trans. Neural Networks and Learning Systems 29(10), 2018,
       doi:10.1109/TNNLS.2017.2775225.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=5_000, noise=0.1, random_state=0), DICClassifier()
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(4_999, 1_000, random_state=1)) > 0.85
    True
    """

    STATE: ClassVar[dict[str, Field]] = {
        **ChunkClassifier.STATE,
        "judged_": optional(floats("judged", "n_features_in_")),
        "judged_weight_": optional(floats("judged", least=0.0)),
        "correct_": optional(flags(None, "judged")),
    }
    _parameter_constraints = {
        **ChunkClassifier._parameter_constraints,
        "selection": [StrOptions({"ds", "dv", "dvs"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "drop": [StrOptions({"interval", "count"})],
        "nominal_features": ["array-like", None],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = 25,
        *,
        selection: str = "dvs",
        n_neighbors: int = 7,
        drop: str = "interval",
        nominal_features: Any = None,
        n_folds: int = 10,
        chunk_size: int | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.selection = selection
        self.n_neighbors = n_neighbors
        self.drop = drop
        self.nominal_features = nominal_features
        self.n_folds = n_folds
        self.chunk_size = chunk_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless every member was judged."""
        n = len(state.get("committee_", ()))
        if n and ("judged_" not in state or len(state.get("correct_", ())) != n):
            raise InvalidStateError("a member of a learner was not judged")

    def _check_features(self, X: np.ndarray) -> None:
        nominal_columns(self.nominal_features, X.shape[1])

    def _measures(self) -> bool:
        return True  # distances between rows

    def _learn(self, chunk: Chunk) -> None:
        committee = self.committee_
        newest, unseen = self._cross_validated(chunk, self.n_folds)
        committee.add(newest, created_at=self.step_)
        committee.truncate(self.n_estimators)
        correct = committee.labels(chunk.X) == chunk.y
        correct[-1] = unseen.argmax(axis=1) == chunk.y
        committee["error"] = weighted_error(~correct, chunk.w)
        committee["weight"] = 1.0 - committee["error"]
        self.judged_, self.judged_weight_, self.correct_ = chunk.X, chunk.w, correct

    def _local_accuracy(self, X: np.ndarray) -> np.ndarray:
        nominal = nominal_columns(self.nominal_features, self.n_features_in_)
        distance = heom(X, self.judged_, ranges(self.judged_), nominal)
        return local_accuracy(distance, self.correct_, self.judged_weight_, self.n_neighbors)

    def _voices(self, local: np.ndarray) -> np.ndarray:
        """Return the weight of each member's vote at each row: (rows, members)."""
        n = local.shape[1]
        # rank 0 is the best: by local accuracy, by accuracy on the whole chunk, then the newest
        by_rank = np.lexsort(
            (
                np.broadcast_to(np.arange(n), local.shape),
                np.broadcast_to(self.committee_["weight"], local.shape),
                local,
            )
        )
        rank = np.empty_like(by_rank)
        np.put_along_axis(rank, by_rank, np.arange(n)[None, ::-1], axis=1)
        if self.selection == "ds":
            voices = (rank == 0).astype(float)
        elif self.selection == "dv":
            voices = local
        elif self.drop == "count":
            voices = np.where(rank < (n + 1) // 2, local, 0.0)
        else:
            middle = (local.min(axis=1, keepdims=True) + local.max(axis=1, keepdims=True)) / 2
            voices = np.where(local >= middle, local, 0.0)
        # where nobody was right nearby, everybody is as good as anybody
        nobody = local.max(axis=1, keepdims=True) == 0
        return np.where(nobody, 1.0, voices)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        voices = np.ascontiguousarray(self._voices(self._local_accuracy(X)).T)
        return tally_each(self.committee_.labels(X), voices, len(self.classes_))
