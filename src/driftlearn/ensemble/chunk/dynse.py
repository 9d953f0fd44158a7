"""DYNSE, the dynamic selection of classifiers under drift."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.chunk import Chunk
from driftlearn.base.validation import nominal_columns
from driftlearn.ensemble._nearest import nearest
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.member_weights import DECIMALS, weighted_error
from driftlearn.ensemble.neighborhood import class_accuracy, knora_eliminate, knora_union
from driftlearn.ensemble.selection import smallest_errors
from driftlearn.ensemble.votes import tally_each
from driftlearn.io.schema import Field, InvalidStateError, flags, floats, integers, optional
from driftlearn.utils.ranges import ranges


class DYNSEClassifier(ChunkClassifier):
    """DYNSE: for each row those members speak that were right on the newest rows near it.

    Every chunk makes a member. The newest chunks are kept as a window, with who was right where,
    and a row is decided by members chosen for what they know about its neighbours there. A member
    of long ago is silent while its concept is gone, and speaks again where it has come back.

    As published: `DYNSEClassifier.as_published()`: ``estimator=CARTClassifier()``, ``n_window=4``.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(min_samples_leaf=5)`` by default.
    n_estimators : int, default=25
        The most members kept; None keeps all.
    n_window : int, default=1
        How many chunks members are judged on, the newest included. A short window follows
        changes, a long one has nearer neighbours; about four hundred rows are a good size, so
        take 4 with chunks of a hundred.
    n_neighbors : int, default=9
        Neighbours of a row that count.
    selection : {"knora-e", "knora-u", "ola", "lca"}, default="knora-e"
        Who speaks. "knora-e": those who were right on all neighbours but `slack`; if nobody was,
        the farthest is passed over, and so on. "knora-u": all, as often as they were right on a
        neighbour. "ola": those who were right on the most. "lca": those with the largest share of
        right answers on the neighbours of the class that they name.
    slack : int, default=2
        Mistakes that "knora-e" forgives; with 0 it is upset by wrong labels.
    prune : {"age", "accuracy"}, default="age"
        Who goes where there are too many: the oldest, or the least accurate on the window.
    nominal_features : array-like, optional
        Columns (or a mask) whose values are names: two are either equal or not.
    chunk_size : int, optional
        Cut the rows into chunks of this size; by default each `partial_fit` call is a chunk.
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
        One row a member; the weight shown is the accuracy on the window.
    history_ : History
        The voting weights over time.

    Notes
    -----
    Features are divided by their ranges in the window. Of rows equally near the newer counts. The
    newest member is judged on the rows it was trained on, as in [1]_.

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

    PUBLISHED: ClassVar[dict[str, Any]] = {
        **ChunkClassifier.PUBLISHED,
        "n_window": 4,
    }
    STATE: ClassVar[dict[str, Field]] = {
        **ChunkClassifier.STATE,
        "judged_": optional(floats("judged", "n_features_in_")),
        "judged_code_": optional(integers("judged", least=0)),
        "judged_weight_": optional(floats("judged", least=0.0)),
        "judged_step_": optional(integers("judged")),
        "correct_": optional(flags(None, "judged")),
    }
    _parameter_constraints = {
        **ChunkClassifier._parameter_constraints,
        "n_window": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "selection": [StrOptions({"knora-e", "knora-u", "ola", "lca"})],
        "slack": [Interval(Integral, 0, None, closed="left")],
        "prune": [StrOptions({"age", "accuracy"})],
        "nominal_features": ["array-like", None],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = 25,
        *,
        n_window: int = 1,
        n_neighbors: int = 9,
        selection: str = "knora-e",
        slack: int = 2,
        prune: str = "age",
        nominal_features: Any = None,
        chunk_size: int | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_window = n_window
        self.n_neighbors = n_neighbors
        self.selection = selection
        self.slack = slack
        self.prune = prune
        self.nominal_features = nominal_features
        self.chunk_size = chunk_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless every member was judged, on rows of the learner's problem."""
        n = len(state.get("committee_", ()))
        if not n:
            return
        if len(state.get("correct_", ())) != n or not len(state.get("judged_", ())):
            raise InvalidStateError("a member of a learner was not judged")
        numbers = "judged_code_", "judged_weight_", "judged_step_"
        if any(state.get(name) is None for name in numbers):
            raise InvalidStateError("the rows of a window have no classes, no weights or no steps")
        if (state["judged_code_"] >= len(state["classes_"])).any():
            raise InvalidStateError("a row of a window is of a class that there is not")

    def _begin(self) -> None:
        super()._begin()
        self.judged_ = np.empty((0, self.n_features_in_))
        self.judged_code_ = np.empty(0, dtype=np.intp)
        self.judged_weight_ = np.empty(0)
        self.judged_step_ = np.empty(0, dtype=np.intp)

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        self.judged_code_ = positions[self.judged_code_]

    def _measures(self) -> bool:
        return True  # distances between rows

    def _check_features(self, X: np.ndarray) -> None:
        nominal_columns(self.nominal_features, X.shape[1])

    def _learn(self, chunk: Chunk) -> None:
        committee = self.committee_
        committee.add(self._train(chunk), created_at=self.step_)
        self._slide(chunk)
        correct = committee.labels(self.judged_) == self.judged_code_
        committee["error"] = error = weighted_error(~correct, self.judged_weight_)
        committee["weight"] = 1.0 - error
        limit = self.n_estimators or len(committee)
        oldest_first = np.arange(len(committee))
        staying = oldest_first[-limit:] if self.prune == "age" else smallest_errors(error, limit)
        committee.select(staying)
        self.correct_ = correct[staying]

    def _slide(self, chunk: Chunk) -> None:
        """Put the rows of a chunk before those of the window, from the newest on."""
        kept = self.judged_step_ > self.step_ - self.n_window
        self.judged_ = np.concatenate([chunk.X[::-1], self.judged_[kept]])
        self.judged_code_ = np.concatenate([chunk.y[::-1], self.judged_code_[kept]])
        self.judged_weight_ = np.concatenate([chunk.w[::-1], self.judged_weight_[kept]])
        steps = np.full(len(chunk), self.step_, dtype=np.intp)
        self.judged_step_ = np.concatenate([steps, self.judged_step_[kept]])

    def _near(self, X: np.ndarray) -> np.ndarray:
        """Return the positions of the neighbours of each row in the window."""
        names = nominal_columns(self.nominal_features, self.n_features_in_)
        width = np.where(names, 1.0, ranges(self.judged_))
        order = np.argsort(names, kind="stable")  # numbers first
        rows, judged = ((each / width)[:, order].copy() for each in (X, self.judged_))
        return nearest(rows, judged, min(self.n_neighbors, len(judged)), int(names.sum()))

    def _voices(self, X: np.ndarray, said: np.ndarray) -> np.ndarray:
        """Return the weight of each member's vote at each row: (members, rows)."""
        near = self._near(X)
        if self.selection == "knora-e":
            return knora_eliminate(self.correct_, near, self.slack).astype(float)
        if self.selection == "lca":
            local = class_accuracy(
                self.correct_, near, self.judged_weight_, self.judged_code_, said
            )
        else:
            local = knora_union(self.correct_, near, self.judged_weight_)
        if self.selection == "knora-u":
            return np.where(local.max(axis=0) > 0, local, 1.0)
        local = local.round(DECIMALS)
        return (local == local.max(axis=0)).astype(float)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        said = self.committee_.labels(X)
        return tally_each(said, self._voices(X, said), len(self.classes_))
