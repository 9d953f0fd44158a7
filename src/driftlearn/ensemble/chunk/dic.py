"""DIC: dynamic integration of classifiers."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.chunk import Chunk, weighted_error
from driftlearn.base.validation import nominal_columns
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.neighborhood import heom, local_accuracy
from driftlearn.ensemble.votes import vote_each
from driftlearn.io.schema import Field, InvalidStateError, flags, floats, optional
from driftlearn.utils.docstrings import inherit_docs
from driftlearn.utils.ranges import ranges


@inherit_docs
@dataclass(eq=False, repr=False)
class DICClassifier(ChunkClassifier):
    """DIC: dynamic integration of classifiers.

    Members are weighted or selected for each row by their accuracy among its nearest neighbors in
    the newest chunk. The newest model is evaluated by cross-validation within its own chunk,
    because its training accuracy would be too high.

    Paper settings: `DICClassifier.as_published()` has
    ``estimator=CARTClassifier(smoothing=0.0)``, ``vote="hard"``.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; by default ``CARTClassifier(min_samples_leaf=5)``.
    n_estimators : int, default=25
        Maximum number of members; the oldest is dropped first. None keeps all.
    selection : {"dvs", "dv", "ds"}, default="dvs"
        "ds" (dynamic selection): the locally best member predicts. "dv" (dynamic voting): all
        members vote, weighted by local accuracy. "dvs" (dynamic voting with selection): the
        locally worst members are dropped, then the others vote.
    n_neighbors : int, default=7
        Number of neighbors.
    drop : {"interval", "count"}, default="interval"
        Members dropped by "dvs". "interval": those whose local error is in the upper half of the
        interval between the smallest and the largest local error, as in [1]_. "count": the worse
        half of the members, as in Sun, Tang, Zhu and Yao [2]_.
    vote : {"soft", "hard"}, default="soft"
        Whether members vote by probabilities or, as published, by labels.
    nominal_features : array-like, optional
        Indices (or a mask) of nominal columns, whose values are either equal or different.
    n_folds : int, default=10
        Number of folds for evaluating the newest model.
    %(other_parameters)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row per member; the weight shown is the accuracy on the newest chunk.
    %(history_)s
    %(step_)s

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

    n_estimators: int | None = 25
    _: KW_ONLY
    selection: str = "dvs"
    n_neighbors: int = 7
    drop: str = "interval"
    n_folds: int = 10
    vote: str = "soft"

    PUBLISHED = {**ChunkClassifier.PUBLISHED, "vote": "hard"}
    STATE: ClassVar[dict[str, Field]] = {
        "validation_X_": optional(floats("validation", "n_features_in_")),
        "validation_weight_": optional(floats("validation", least=0.0)),
        "correct_": optional(flags(None, "validation")),
    }
    _parameter_constraints = {
        "selection": [StrOptions({"ds", "dv", "dvs"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "drop": [StrOptions({"interval", "count"})],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "vote": [StrOptions({"soft", "hard"})],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless every member was evaluated."""
        n = len(state.get("committee_", ()))
        if n and ("validation_X_" not in state or len(state.get("correct_", ())) != n):
            raise InvalidStateError(
                "the evaluation results of the members are missing or incomplete"
            )

    def _measures(self) -> bool:
        return True  # computes distances between rows

    def _learn(self, chunk: Chunk) -> None:
        committee = self.committee_
        newest, unseen = self._cross_validated(chunk, self.n_folds)
        committee.add(newest, created_at=self.step_)
        committee.truncate(self.n_estimators)
        correct = committee.labels(chunk.X) == chunk.y
        correct[-1] = unseen.argmax(axis=1) == chunk.y
        committee["error"] = weighted_error(~correct, chunk.w)
        committee["weight"] = 1.0 - committee["error"]
        self.validation_X_, self.validation_weight_ = chunk.X.copy(), chunk.w.copy()
        self.correct_ = correct

    def _local_accuracy(self, X: np.ndarray) -> np.ndarray:
        nominal = nominal_columns(self.nominal_features, self.n_features_in_)
        distance = heom(X, self.validation_X_, ranges(self.validation_X_), nominal)
        return local_accuracy(distance, self.correct_, self.validation_weight_, self.n_neighbors)

    def _weights(self, local: np.ndarray) -> np.ndarray:
        """Return the voting weight of each member for each row: (rows, members)."""
        n = local.shape[1]
        # Rank 0 is the best: by local accuracy, by accuracy on the whole chunk, then the newest.
        by_rank = np.lexsort(np.broadcast_arrays(np.arange(n), self.committee_["weight"], local))
        rank = np.empty_like(by_rank)
        np.put_along_axis(rank, by_rank, np.arange(n)[None, ::-1], axis=1)
        if self.selection == "ds":
            weights = (rank == 0).astype(float)
        elif self.selection == "dv":
            weights = local
        elif self.drop == "count":
            weights = np.where(rank < (n + 1) // 2, local, 0.0)
        else:
            middle = (local.min(axis=1, keepdims=True) + local.max(axis=1, keepdims=True)) / 2
            weights = np.where(local >= middle, local, 0.0)
        # If no member was correct in the neighborhood, all members get the same weight.
        return np.where(local.max(axis=1, keepdims=True) == 0, 1.0, weights)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        weights = np.ascontiguousarray(self._weights(self._local_accuracy(X)).T)
        return vote_each(self.committee_, X, weights, self.vote == "soft")
