"""DYNSE: dynamic selection of classifiers under concept drift."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.chunk import DECIMALS, Chunk, weighted_error
from driftlearn.base.validation import nominal_columns
from driftlearn.ensemble._nearest import nearest
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.neighborhood import class_accuracy, knora_eliminate, knora_union
from driftlearn.ensemble.selection import smallest_errors
from driftlearn.ensemble.votes import vote_each
from driftlearn.io.schema import Field, InvalidStateError, flags, floats, integers, optional
from driftlearn.utils.docstrings import inherit_docs
from driftlearn.utils.ranges import ranges


@inherit_docs
@dataclass(eq=False, repr=False)
class DYNSEClassifier(ChunkClassifier):
    """DYNSE: dynamic selection of classifiers by their accuracy on recent neighbors.

    A member is trained on every chunk. The newest chunks form a validation window, on which all
    members are evaluated. Each row is predicted by the members that are most accurate on its
    neighbors in the window. Members of an old concept are not selected until it recurs.

    Paper settings: `DYNSEClassifier.as_published()` has
    ``estimator=CARTClassifier(smoothing=0.0)``, ``n_window=4``, ``vote="hard"``.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; by default ``CARTClassifier(min_samples_leaf=5)``.
    n_estimators : int, default=25
        Maximum number of members; None keeps all.
    n_window : int, default=1
        Number of chunks in the validation window, including the newest. A short window adapts
        faster; a long window contains nearer neighbors. About 400 rows are a good size, e.g. 4
        chunks of 100 rows.
    n_neighbors : int, default=9
        Number of neighbors.
    selection : {"knora-e", "knora-u", "ola", "lca"}, default="knora-e"
        "knora-e": members with at most `slack` errors on the neighbors; if there are none, the
        farthest neighbor is ignored, and so on. "knora-u": all members, with a vote for each
        neighbor on which they are correct. "ola": the members with the highest accuracy on the
        neighbors. "lca": the members with the highest accuracy on the neighbors of the class that
        they predict.
    slack : int, default=2
        Number of errors that "knora-e" tolerates; with 0 it is sensitive to label noise.
    prune : {"age", "accuracy"}, default="age"
        Which member is dropped if there are too many: the oldest member, or the member with the
        lowest accuracy in the window.
    vote : {"soft", "hard"}, default="soft"
        Whether the selected members vote by probabilities or, as published, by labels.
    nominal_features : array-like, optional
        Indices (or a mask) of nominal columns, whose values are either equal or different.
    %(other_parameters)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row per member; the weight shown is the accuracy in the window.
    %(history_)s

    Notes
    -----
    Features are divided by their ranges in the window. Of equally distant rows, newer ones are
    preferred. The newest member is evaluated on its own training rows, as in [1]_.

    References
    ----------
    .. [1] P. R. L. Almeida, L. S. Oliveira, A. S. Britto Jr., R. Sabourin, "Adapting dynamic
       classifier selection for concept drift", Expert Systems with Applications 104, 2018,
       doi:10.1016/j.eswa.2018.03.021.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=5_000, noise=0.1, random_state=0), DYNSEClassifier()
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> len(model.members_), model.score(*stream.test_set(4_999, 1_000, random_state=1)) > 0.85
    (20, True)
    """

    n_estimators: int | None = 25
    _: KW_ONLY
    n_window: int = 1
    n_neighbors: int = 9
    selection: str = "knora-e"
    slack: int = 2
    prune: str = "age"
    vote: str = "soft"

    PUBLISHED: ClassVar[dict[str, Any]] = {
        **ChunkClassifier.PUBLISHED, "n_window": 4, "vote": "hard",
    }  # fmt: skip
    STATE: ClassVar[dict[str, Field]] = {
        "validation_X_": optional(floats("validation", "n_features_in_")),
        "validation_y_": optional(integers("validation", least=0, below="classes")),
        "validation_weight_": optional(floats("validation", least=0.0)),
        "validation_step_": optional(integers("validation")),
        "correct_": optional(flags(None, "validation")),
    }
    _parameter_constraints = {
        "n_window": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "selection": [StrOptions({"knora-e", "knora-u", "ola", "lca"})],
        "slack": [Interval(Integral, 0, None, closed="left")],
        "prune": [StrOptions({"age", "accuracy"})],
        "vote": [StrOptions({"soft", "hard"})],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless every member was evaluated on a valid window."""
        n = len(state.get("committee_", ()))
        if not n:
            return
        if len(state.get("correct_", ())) != n or not len(state.get("validation_X_", ())):
            raise InvalidStateError(
                "the evaluation results of the members are missing or incomplete"
            )
        numbers = "validation_y_", "validation_weight_", "validation_step_"
        if any(state.get(name) is None for name in numbers):
            raise InvalidStateError("the rows of the window have no classes, weights or steps")

    def _begin(self) -> None:
        super()._begin()
        self.validation_X_ = np.empty((0, self.n_features_in_))
        self.validation_y_ = np.empty(0, dtype=np.intp)
        self.validation_weight_ = np.empty(0)
        self.validation_step_ = np.empty(0, dtype=np.intp)

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        self.validation_y_ = positions[self.validation_y_]

    def _measures(self) -> bool:
        return True  # computes distances between rows

    def _learn(self, chunk: Chunk) -> None:
        committee = self.committee_
        committee.add(self._train(chunk), created_at=self.step_)
        self._slide(chunk)
        correct = committee.labels(self.validation_X_) == self.validation_y_
        committee["error"] = error = weighted_error(~correct, self.validation_weight_)
        committee["weight"] = 1.0 - error
        limit = self.n_estimators or len(committee)
        oldest_first = np.arange(len(committee))
        staying = oldest_first[-limit:] if self.prune == "age" else smallest_errors(error, limit)
        committee.select(staying)
        self.correct_ = correct[staying]

    def _slide(self, chunk: Chunk) -> None:
        """Add the rows of a chunk to the window, newest first, and drop expired rows."""
        recent = self.validation_step_ > self.step_ - self.n_window
        self.validation_X_ = np.concatenate([chunk.X[::-1], self.validation_X_[recent]])
        self.validation_y_ = np.concatenate([chunk.y[::-1], self.validation_y_[recent]])
        self.validation_weight_ = np.concatenate([chunk.w[::-1], self.validation_weight_[recent]])
        steps = np.full(len(chunk), self.step_, dtype=np.intp)
        self.validation_step_ = np.concatenate([steps, self.validation_step_[recent]])

    def _near(self, X: np.ndarray) -> np.ndarray:
        """Return the positions of each row's neighbors in the window."""
        names = nominal_columns(self.nominal_features, self.n_features_in_)
        width = np.where(names, 1.0, ranges(self.validation_X_))
        order = np.argsort(names, kind="stable")  # numeric columns first
        rows, validation = ((each / width)[:, order].copy() for each in (X, self.validation_X_))
        return nearest(rows, validation, min(self.n_neighbors, len(validation)), int(names.sum()))

    def _weights(self, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the voting weight of each member for each row: (members, rows)."""
        near = self._near(X)
        if self.selection == "knora-e":
            return knora_eliminate(self.correct_, near, self.slack).astype(float)
        if self.selection == "lca":
            local = class_accuracy(
                self.correct_, near, self.validation_weight_, self.validation_y_, labels
            )
        else:
            local = knora_union(self.correct_, near, self.validation_weight_)
        if self.selection == "knora-u":
            return np.where(local.max(axis=0) > 0, local, 1.0)
        local = local.round(DECIMALS)
        return (local == local.max(axis=0)).astype(float)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        weights = self._weights(X, self.committee_.labels(X))
        return vote_each(self.committee_, X, weights, self.vote == "soft")
