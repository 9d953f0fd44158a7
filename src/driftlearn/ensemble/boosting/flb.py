"""Fast and light boosting (FLB)."""

from copy import copy
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from driftlearn.base.base_learners import columns_of, drawn, proba, trained
from driftlearn.base.chunk import Chunk
from driftlearn.drift.block import BlockTest
from driftlearn.ensemble._row_window import MAX_BYTES
from driftlearn.ensemble._votes import blend, blend_cached
from driftlearn.ensemble.boosting._probability_stumps import (
    DistanceStump,
    PackedRatioStumps,
    RatioStump,
)
from driftlearn.ensemble.boosting._watch import Watchable
from driftlearn.ensemble.committee import Committee
from driftlearn.ensemble.history import MOST_STEPS
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io import schema
from driftlearn.tree.stump import StumpClassifier
from driftlearn.utils.arguments import Self
from driftlearn.utils.interrupts import uninterrupted
from driftlearn.utils.table import Table

PIECE = 4096  # rows predicted at a time, so that the members' predictions fit into the cache


@dataclass(eq=False, repr=False)
class FLBClassifier(Watchable, OnlineClassifier):
    """Fast and light boosting (FLB): a few boosted members per block of rows.

    Rows are buffered until a block is complete. The ensemble, which averages its members'
    probabilities, is then evaluated on the block. Misclassified rows get the weight ``(1 - e) /
    e``, where e is the error of the ensemble, and a new member is trained on the weighted block;
    this is repeated with the new member included. If the error on a new block is significantly
    higher than on earlier blocks, all members are discarded and the ensemble is rebuilt from the
    new block.

    Before the first block is complete, the first class seen is predicted. `fit` also trains on the
    rows left over at the end, as a shorter block; `flush` does so at any time.

    Parameters
    ----------
    estimator : classifier, optional
        Base learner, `StumpClassifier` by default. Any scikit-learn classifier is accepted;
        classifiers without `predict_proba` contribute their predicted labels.
    n_estimators : int or None, default=200
        Maximum number of members; the oldest are removed first. None keeps all.
    block_size : int, default=200
        Number of rows in a block.
    n_per_block : int, default=5
        Number of members trained on each block.
    stump_proba : {"ratio", "distance"}, default="ratio"
        Class probabilities of a stump. "ratio": the class ratios of the row's side, with half a row
        added to each class. "distance": a sigmoid of the distance from the threshold. The
        comparison in [2]_ mentions the distance, without a formula, but its results match those of
        "ratio". With "distance", the ensemble is a smooth function and much more accurate on smooth
        concepts.
    slope : float, default=2.0
        Slope of the sigmoid at the threshold, in standard deviations of the feature.
    change_level : float or None, default=0.01
        False alarm rate of the `BlockTest` on the error of each block; None disables the test.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied: a dict from label to weight (1 for
        labels not listed), or "balanced": n / (k * rows of the class), for the n rows and k classes
        so far, at most 100.
    random_state : int, Generator, RandomState or None
        Seed of the base learner's randomness, and of the samples for base learners that do not
        accept weights.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row per member: id, row at which it was created, voting weight, error on its training
        block, classes of that block, size.
    n_members_ : int
        Number of members.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows; the interval doubles as the stream grows.
    n_changes_ : int
        Number of times that all members were discarded.
    committee_ : Committee
        The members.
    waiting_ : WaitingRows
        The rows of the incomplete block.
    test_ : BlockTest or None
        The test on the errors of the blocks.

    References
    ----------
    .. [1] F. Chu, C. Zaniolo, "Fast and Light Boosting for Adaptive Mining of Data Streams", PAKDD
       2004, pp. 282-292.
    .. [2] M. Grbovic, S. Vucetic, "Tracking Concept Change with Incremental Boosting by
       Minimization of the Evolving Exponential Loss", ECML PKDD 2011,
       doi:10.1007/978-3-642-23780-5_43.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=20_000, noise=0.0, random_state=0), FLBClassifier()
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(19_999, 1_000, random_state=1)), model.n_changes_
    (0.962, 2)
    """

    estimator: Any = None
    n_estimators: int | None = 200
    _: KW_ONLY
    block_size: int = 200
    n_per_block: int = 5
    stump_proba: str = "ratio"
    slope: float = 2.0
    change_level: float | None = 0.01
    nominal_features: Any = None
    class_weight: Any = None
    random_state: Any = None

    STATE: ClassVar[dict[str, schema.Field]] = {
        "committee_": schema.a(Committee),
        "waiting_": schema.a("WaitingRows"),
        "test_": schema.optional(schema.a(BlockTest)),
    }
    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "block_size": [Interval(Integral, 1, schema.LARGEST, closed="both")],
        "n_per_block": [Interval(Integral, 1, None, closed="left")],
        "stump_proba": [StrOptions({"ratio", "distance"})],
        "slope": [Interval(Real, 0, None, closed="neither")],
        "change_level": [Interval(Real, 0, 1, closed="neither"), None],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the buffered rows match the classifier."""
        waiting = state.get("waiting_")
        if waiting is not None and not (
            waiting.X.shape[1] == state["n_features_in_"]
            and (waiting.y < len(state["classes_"])).all()
        ):
            raise schema.InvalidStateError(
                "The buffered rows and the classifier have different features or classes."
            )

    @property
    def members_(self) -> Table:
        """One row per member: id, created_at, weight, error, classes trained on, size."""
        with self._locked():
            self._check_fitted()
            return self.committee_.table()

    @property
    def n_rows_(self) -> int:
        """Number of rows seen, including buffered ones."""
        self._check_fitted()
        return self.waiting_.n_rows

    @property
    def n_changes_(self) -> int:
        """Number of times that all members were discarded."""
        self._check_fitted()
        return 0 if self.test_ is None else self.test_.n_detections

    def _base_learner(self) -> Any:
        if self.estimator is not None and type(self.estimator) is not StumpClassifier:
            return super()._base_learner()
        return RatioStump() if self.stump_proba == "ratio" else DistanceStump(self.slope)

    def _begin(self) -> None:
        super()._begin()
        self.waiting_ = WaitingRows(self.n_features_in_, self.block_size)
        self.test_ = None if self.change_level is None else BlockTest(self.change_level)

    def _new_committee(self, *columns: str) -> Any:
        committee = Committee(self.classes_)
        for column in ("id", "created_at", "weight", "error"):
            committee[column] = []
        return committee

    def _widen(self, positions: np.ndarray) -> None:
        self.committee_.widen(self.classes_)
        self.waiting_.y = positions[self.waiting_.y]
        self.class_book_.labels = self.classes_

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        done = 0
        while done < len(y):
            stop = done + self.waiting_.size - self.waiting_.n
            if scores is not None:
                # Predictions change after each block; without members, they change after each row.
                stop = stop if len(self.committee_) else done + 1
                scores[done:stop] = self._scores(X[done:stop])
            done += self.waiting_.take(X[done:stop], y[done:stop], w[done:stop])
            if self.waiting_.n == self.waiting_.size:  # `block_size` may have been changed
                try:
                    self._learn_block()
                except BaseException:
                    # members are not trained on the row that completed the block
                    self.waiting_.drop_last()
                    raise

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        super()._receive(chunk, finish, **how)
        if finish:
            self.flush()

    def flush(self) -> Self:
        """Train on the buffered rows as a separate block, regardless of their number.

        If training fails, the rows stay buffered. Without buffered rows the call has no effect.
        `fit` calls this method at the end.

        Returns
        -------
        self
        """
        with self._locked(), uninterrupted():
            if hasattr(self, "waiting_") and self.waiting_.n:
                self._learn_block()
        return self

    def _learn_block(self) -> None:
        """Train on the buffered rows; if this fails, they stay buffered."""
        state = self.rng_.bit_generator.state
        try:
            block = self.waiting_.block(self.classes_)
            self.committee_, self.test_ = self._boosted(block)
        except BaseException:
            self.rng_.bit_generator.state = state
            raise
        self.waiting_.n = 0

    def _boosted(self, block: Chunk) -> tuple[Committee, BlockTest | None]:
        """Return the committee and the test, both updated with a block."""
        committee, test = self.committee_.draft(), copy(self.test_)
        probas = np.zeros((len(committee) + self.n_per_block, len(block), len(self.classes_)))
        last = len(committee)
        if last:
            # each block is predicted only once, so caching would not pay off
            probas[:last] = committee._probas(block.X)
            if test is not None and test.update(_errors(probas[:last], block)[1], len(block)):
                # Members of the old concept would dominate the mean, so all are dropped.
                committee.select([])
        for _ in range(self.n_per_block):
            w = block.w
            if len(committee):
                wrong, e = _errors(probas[last - len(committee) : last], block)
                # This factor gives the misclassified rows half of the total weight.
                w = np.where(wrong, w * ((1 - e) / e), w) if 0 < e < 0.5 else w
            base = self._base_learner()
            model = trained(base, drawn(base, block.weighted(w), self.rng_), self._seed())
            probas[last][:, columns_of(model, self.classes_)] = proba(model, block.X)
            _, e = _errors(probas[last : last + 1], block)
            committee.add(model, created_at=self.n_rows_, error=e)
            last += 1
            committee.truncate(self.n_estimators)
        committee["weight"] = np.full(len(committee), 1 / len(committee))
        return committee, test

    def _weights_now(self) -> tuple[Any, Any]:
        return self.committee_["id"], self.committee_["weight"]

    def _scores(self, X: np.ndarray) -> np.ndarray:
        """Return the members' mean probabilities; without members, the first buffered class."""
        scores = np.zeros((len(X), len(self.classes_)))
        if len(self.committee_):
            for k in range(0, len(X), PIECE):
                scores[k : k + PIECE] = self._total(X[k : k + PIECE]) / len(self.committee_)
        elif self.waiting_.n:
            scores[:, self.waiting_.y[: self.waiting_.n].min()] = 1.0
        return scores

    def _total(self, X: np.ndarray) -> np.ndarray:
        packed = self.committee_.pack()
        if isinstance(packed, PackedRatioStumps):
            return packed.total(X, len(self.classes_))
        return blend(self.committee_.probas(X), np.ones(len(self.committee_)))

    def _count(self, predicted: np.ndarray, where: np.ndarray) -> np.ndarray:
        return blend_cached(predicted, where) / len(where)

    def _ties(self) -> tuple[Any, ...]:
        return *super()._ties(), self.committee_.packed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.estimator is None
        return tags


class WaitingRows:
    """Buffer for the rows of an incomplete block.

    Parameters
    ----------
    n_features : int
        Number of features.
    size : int
        Number of rows in a block.

    Attributes
    ----------
    n_rows, n : int
        Number of rows seen; number of rows in the buffer.
    X, y, w : arrays
        The first `n` entries are the buffered rows; capacity for a block is allocated with the
        first row.

    Examples
    --------
    >>> waiting = WaitingRows(n_features=1, size=3)
    >>> [waiting.take(np.ones((2, 1)), np.array([0, 1]), np.ones(2)) for _ in range(2)]
    [2, 1]
    >>> waiting.block(np.array(["a", "b"])).labels.tolist()
    ['a', 'b', 'a']
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "n": schema.integer(0),
        "n_rows": schema.integer(0, MOST_STEPS),
        "size": schema.integer(1),
        "X": schema.floats("n", "features", missing=True),
        "y": schema.integers("n", least=0),
        "w": schema.floats("n", least=0),
    }

    def __init__(self, n_features: int, size: int):
        self.n_rows = self.n = 0
        self.size = size
        self.X, self.w = np.zeros((0, n_features)), np.zeros(0)
        self.y = np.zeros(0, dtype=np.intp)

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError if a block has too many rows or exceeds memory."""
        n, d = state["X"].shape
        if n > state["size"] or 8 * state["size"] * (d + 2) > MAX_BYTES:
            raise schema.InvalidStateError(
                f"The buffer has {n} rows, but the block size is {state['size']}."
            )

    def take(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> int:
        """Append rows until the block is full; return their number."""
        missing = self.size - len(self.y)
        if missing:
            self.X = np.pad(self.X, ((0, missing), (0, 0)))
            self.y, self.w = np.pad(self.y, (0, missing)), np.pad(self.w, (0, missing))
        n = min(len(y), self.size - self.n)
        room = slice(self.n, self.n + n)
        self.X[room], self.y[room], self.w[room] = X[:n], y[:n], w[:n]
        self.n += n
        self.n_rows += n
        return n

    def block(self, classes: np.ndarray) -> Chunk:
        """Return the buffered rows."""
        here = slice(self.n)
        return Chunk(self.X[here].copy(), self.y[here].copy(), self.w[here].copy(), classes)

    def drop_last(self) -> None:
        """Remove the newest row, as if it had not been seen."""
        self.n -= 1
        self.n_rows -= 1

    def __getstate__(self) -> dict[str, Any]:
        rows = {name: self.__dict__[name][: self.n] for name in ("X", "y", "w")}
        return {**self.__dict__, **rows}


def _errors(probas: np.ndarray, block: Chunk) -> tuple[np.ndarray, float]:
    """Return a mask of the rows misclassified by the members' mean, and the weighted error."""
    votes = blend(probas, np.ones(len(probas))) / len(probas)
    wrong = votes.argmax(axis=1) != block.y
    return wrong, float(np.cumsum(wrong * block.w)[-1] / np.cumsum(block.w)[-1])
