"""FLB: fast and light boosting."""

from __future__ import annotations

from copy import copy
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from driftlearn.base.chunk import Chunk
from driftlearn.base.committee import Committee
from driftlearn.base.models import columns_of, proba, takes_weights, trained
from driftlearn.drift.block import BlockTest
from driftlearn.kernels import ballots
from driftlearn.kernels.votes import blend
from driftlearn.learners.stump import StumpClassifier
from driftlearn.online._blocks import Blocks
from driftlearn.online._soft_stumps import DistanceStump, RatioStump
from driftlearn.online._watch import WatchableClassifier
from driftlearn.parts.row_weights import draw


class FLBClassifier(WatchableClassifier):
    """Fast and light boosting: a few members a block, each trained on what the others miss.

    Rows wait until there is a block of them. The ensemble, whose vote is the mean of its members'
    probabilities, is tested on the block; rows that it gets wrong count ``(1 - e) / e`` with its
    error e, and a member is trained on that; so again, with the new member voting. If the error
    on a new block is too high for the blocks before, the whole ensemble is thrown away and
    started anew from the block.

    Before the first block the first class known is predicted. `fit` also learns the rows that
    are left over at the end, as a shorter block.

    Parameters
    ----------
    estimator : classifier, optional
        Base learner, `StumpClassifier` by default. Any scikit-learn classifier will do; one
        without `predict_proba` votes.
    n_estimators : int or None, default=200
        The most members kept, the oldest leaving first; None keeps all.
    block_size : int, default=200
        Rows of a block.
    n_per_block : int, default=5
        Members trained on a block.
    stump_proba : {"ratio", "distance"}, default="ratio"
        The probabilities of a stump: the class ratios of the side, each class counting half a
        row more, or a sigmoid of the distance from the threshold. The comparison in [2]_ speaks
        of the distance, without a formula, but its numbers are those of ratios: the mean of
        sigmoids is a smooth function, and much better where the concept is one.
    slope : float, default=2.0
        Slope of the sigmoid at the threshold, in standard deviations of the feature.
    change_level : float or None, default=0.01
        Share of false alarms of the test on the block's error, a `BlockTest`; None makes no test.
    random_state : int, Generator, RandomState or None
        Decides what is random in the base learner, and draws for one that takes no weights.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: number, row of birth, weight in the vote, error on the block it was
        trained on, classes of that block, size.
    n_members_ : int
        Their number.
    estimators_ : list
        The models.
    history_ : History
        Weights every 200 rows, coarser as the stream grows.
    n_changes_ : int
        How often the ensemble was thrown away.

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

    _parameter_constraints = {
        **WatchableClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "block_size": [Interval(Integral, 1, None, closed="left")],
        "n_per_block": [Interval(Integral, 1, None, closed="left")],
        "stump_proba": [StrOptions({"ratio", "distance"})],
        "slope": [Interval(Real, 0, None, closed="neither")],
        "change_level": [Interval(Real, 0, 1, closed="neither"), None],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = 200,
        *,
        block_size: int = 200,
        n_per_block: int = 5,
        stump_proba: str = "ratio",
        slope: float = 2.0,
        change_level: float | None = 0.01,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.block_size = block_size
        self.n_per_block = n_per_block
        self.stump_proba = stump_proba
        self.slope = slope
        self.change_level = change_level
        self.random_state = random_state

    @property
    def n_changes_(self) -> int:
        """How often the ensemble was thrown away."""
        self._check_fitted()
        return 0 if self.team_.test is None else self.team_.test.n_detections

    @property
    def estimators_(self) -> list[Any]:
        """The members' models, oldest first."""
        self._check_fitted()
        return list(self.team_.members.models)

    def _base_learner(self) -> Any:
        if self.estimator is not None and type(self.estimator) is not StumpClassifier:
            return self.estimator
        return RatioStump() if self.stump_proba == "ratio" else DistanceStump(self.slope)

    def _team(self) -> Blocks:
        test = None if self.change_level is None else BlockTest(self.change_level)
        return Blocks(self.n_features_in_, self.classes_, self.block_size, test)

    def _widen(self, positions: np.ndarray) -> None:
        self.team_.widen(positions, self.classes_)

    def _keys(self) -> list[Any]:
        return list(self.team_.members.models)

    def _say(self, which: list[int], X: np.ndarray) -> np.ndarray:
        return self.team_.say(which, X)

    def _count(self, said: np.ndarray, where: np.ndarray) -> np.ndarray:
        return ballots.add(said, where) / len(where)

    def _ties(self) -> tuple:
        return *super()._ties(), self.team_.packed

    def _learn_rows(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        while len(y):
            taken = self.team_.take(X, y, w)
            if self.team_.filled == self.block_size:
                self._learn_block()
            X, y, w = X[taken:], y[taken:], w[taken:]

    def _receive(self, chunk: Chunk, finish: bool) -> None:
        super()._receive(chunk, finish)
        if finish and self.team_.filled:
            self._learn_block()

    def _learn_block(self) -> None:
        """Learn the rows that have been waiting; if that fails, all but the last still wait."""
        team, state = self.team_, self.rng_.bit_generator.state
        try:
            team.members, team.test = self._boosted(team.block())
            team.filled = 0
        except BaseException:
            self.rng_.bit_generator.state = state
            team.filled -= 1
            team.n_rows -= 1
            raise

    def _boosted(self, block: Chunk) -> tuple[Committee, BlockTest | None]:
        members, test = self.team_.members.draft(), copy(self.team_.test)
        probas = np.zeros((len(members) + self.n_per_block, len(block), len(self.classes_)))
        first, last = 0, len(members)
        if last:
            probas[:last] = members.probas(block.X)
            if test is not None and test.update(_judged(probas[:last], block)[1], len(block)):
                members.keep([])
                first = last
        for _ in range(self.n_per_block):
            w = block.w
            if len(members):
                wrong, e = _judged(probas[first:last], block)
                w = np.where(wrong, w * ((1 - e) / e), w) if 0 < e < 0.5 else w
            model = self._train(block.weighted(w))
            known = columns_of(model, self.classes_)
            probas[last][:, known] = proba(model, block.X)
            _, e = _judged(probas[last : last + 1], block)
            met = np.isin(np.arange(len(self.classes_)), known)
            members.add(model, born=self.team_.n_rows, error=e, met=met)
            last += 1
            if self.n_estimators is not None and len(members) > self.n_estimators:
                members.keep(np.arange(1, len(members)))
                first += 1
        return members, test

    def _train(self, chunk: Chunk) -> Any:
        base = self._base_learner()
        if not takes_weights(base) and (chunk.w != chunk.w[0]).any():
            rows = draw(chunk.w, chunk.y, self.rng_)
            chunk = chunk.at(rows).weighted(np.ones(len(chunk)))
        return trained(base, chunk, self._seed())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.estimator is None
        return tags


def _judged(probas: np.ndarray, block: Chunk) -> tuple[np.ndarray, float]:
    """Return where the mean vote of these members is wrong, and the share of weight there."""
    votes = blend(probas, np.ones(len(probas))) / len(probas)
    wrong = votes.argmax(axis=1) != block.y
    return wrong, float(np.cumsum(wrong * block.w)[-1] / np.cumsum(block.w)[-1])
