"""DTEL, diversity and transfer-based ensemble learning."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.base_learners import can_adapt, transferred
from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.committee import Committee
from driftlearn.ensemble.member_weights import inverse_error, random_error, squared_error
from driftlearn.ensemble.selection import (
    disagreement,
    double_fault,
    entropy_without,
    most_redundant,
    q_statistics,
    smallest_errors,
)
from driftlearn.io.schema import Field, InvalidStateError, a
from driftlearn.utils.typing import Floats, Values

# which model goes, by what each gets right: the one without which the others are most diverse
REDUNDANT: dict[str, Callable[[Values, Floats], int]] = {
    "q": lambda correct, w: most_redundant(q_statistics(correct, w)),
    "disagreement": lambda correct, w: most_redundant(-disagreement(correct, w)),
    "double_fault": lambda correct, w: most_redundant(double_fault(correct, w)),
    "entropy": lambda correct, w: int(entropy_without(correct, w).argmax()),
}


class DTELClassifier(ChunkClassifier):
    """DTEL: old models are kept for their diversity and adapted to every new chunk.

    The archive holds models as they were trained. For each chunk a copy of every archived model
    is transferred to it (a tree keeps its splits, relabels its leaves and grows new ones); the
    adapted copies and a new model vote, weighted by their squared error. When the archive is
    full, the model goes whose absence leaves it most diverse, so it comes to hold one model for
    each kind of world that has been.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(min_samples_leaf=5)`` by default. As published:
        `DTELClassifier.as_published()`: ``estimator=CARTClassifier()``. It needs `transfer`, or
        else `partial_fit` or `warm_start`, by which an archived model is then adapted.
    n_estimators : int, default=25
        Size of the archive; the paper recommends more than 20. None keeps all.
    vote : {"hard", "soft"}, default="hard"
        Whether the models' labels or their class probabilities are summed.
    diversity : {"q", "disagreement", "double_fault", "entropy"}, default="q"
        By what the archive is kept diverse, from who is right on which row of the newest chunk.
        "q": Yule's Q, as in [1]_. "disagreement": how often one of a pair alone is right.
        "double_fault": how seldom both of a pair are wrong. "entropy": how evenly each row
        divides the models into right and wrong [2]_. Measures of pairs are averaged over all.
    n_transfers : int, optional
        Transfer only this many archived models to a chunk: those with the smallest squared error
        on it as they are, the newer of equals. The others rest, untouched and without a vote, until
        a chunk that they fit better. It bounds the time of a chunk; by default all are transferred.
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
        One row a member; they are the adapted models and the newest one.
    history_ : History
        The voting weights over time.
    step_ : int
        The chunks learned; after `fit`, those that the table was cut into.
    archive_ : Committee
        The models as they were trained.

    References
    ----------
    .. [1] Y. Sun, K. Tang, Z. Zhu, X. Yao, "Concept Drift Adaptation by Exploiting Historical
       Knowledge", IEEE Trans. Neural Networks and Learning Systems 29(10), 2018,
       doi:10.1109/TNNLS.2017.2775225.
    .. [2] L. Kuncheva, C. Whitaker, "Measures of Diversity in Classifier Ensembles and Their
       Relationship with the Ensemble Accuracy", Machine Learning 51(2), 2003,
       doi:10.1023/A:1022859003006.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=10_000, noise=0.1, random_state=0), DTELClassifier()
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> len(model.archive_), model.score(*stream.test_set(9_999, 1_000, random_state=1)) > 0.9
    (25, True)
    """

    STATE: ClassVar[dict[str, Field]] = {**ChunkClassifier.STATE, "archive_": a(Committee)}
    _parameter_constraints = {
        **ChunkClassifier._parameter_constraints,
        "vote": [StrOptions({"hard", "soft"})],
        "diversity": [StrOptions(set(REDUNDANT))],
        "n_transfers": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = 25,
        *,
        vote: str = "hard",
        diversity: str = "q",
        n_transfers: int | None = None,
        chunk_size: int | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.vote = vote
        self.diversity = diversity
        self.n_transfers = n_transfers
        self.chunk_size = chunk_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the models that are kept have birth and seed, and the classes."""
        archive = state.get("archive_")
        if archive and not {"id", "created_at", "seed"} <= set(archive.numbers):
            raise InvalidStateError("a model that is kept has no birth or no seed")
        if archive and not np.array_equal(archive.classes, state["classes_"]):
            raise InvalidStateError("the models that are kept know other classes than the learner")

    def _validate_params(self) -> None:
        super()._validate_params()
        if not can_adapt(self._base_learner()):
            raise ValueError(
                "DTEL adapts its old models: the estimator needs transfer, partial_fit or "
                f"warm_start, and {type(self.estimator).__name__} has none of them"
            )

    def _begin(self) -> None:
        super()._begin()
        self.archive_ = Committee(self.classes_)

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        self.archive_.widen(self.classes_)

    def _learn(self, chunk: Chunk) -> None:
        archive, y, w = self.archive_, chunk.y, chunk.w
        chosen = self._worth_a_transfer(chunk)
        newest, seed, adapted = self._train_and_update(transferred, chosen, chunk)

        committee = self.committee_ = Committee(self.classes_)
        born = np.append(chosen["created_at"], self.step_)
        # an adapted copy is the same member as before to the history: its id is its birth
        committee.extend([*adapted, newest], id=born, created_at=born)
        archive.add(newest, created_at=self.step_, id=self.step_, seed=seed)
        error, leaver = self._run_parallel(
            chunk,
            lambda: squared_error(committee.probas(chunk.X), y, w),
            lambda: self._leaver(chunk),
        )
        committee["error"] = error
        guessing = random_error(y, w)
        weight = inverse_error(guessing, error)
        weight[-1] = inverse_error(guessing)  # the newest counts as perfect on its own chunk
        committee["weight"] = weight
        if leaver is not None:
            archive.drop(leaver)

    def _leaver(self, chunk: Chunk) -> int | None:
        """Return which model the archive loses, if there is one too many."""
        if self.n_estimators is None or len(self.archive_) <= self.n_estimators:
            return None
        correct = self.archive_.labels(chunk.X) == chunk.y
        return REDUNDANT[self.diversity](correct, chunk.w)

    def _worth_a_transfer(self, chunk: Chunk) -> Committee:
        """Return the archived models that are transferred to a chunk."""
        if self.n_transfers is None or len(self.archive_) <= self.n_transfers:
            return self.archive_
        error = squared_error(self.archive_.probas(chunk.X), chunk.y, chunk.w)
        chosen = self.archive_.draft()
        chosen.select(smallest_errors(error, self.n_transfers))
        return chosen

    def _scores(self, X: np.ndarray) -> np.ndarray:
        committee = self.committee_
        said = committee.probas(X) if self.vote == "soft" else committee.labels(X)
        return committee.vote(said)
