"""Learn++.NSE."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.chunk import Chunk
from driftlearn.base.row_weights import penalize
from driftlearn.ensemble.chunk.attempts import best_attempt
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.member_weights import (
    WEAK,
    age_sigmoid,
    error_floor,
    odds,
    sliding_mean,
    weighted_error,
)
from driftlearn.ensemble.votes import signed_vote
from driftlearn.io.schema import Field, integer
from driftlearn.utils.typing import Floats, Ints

FADED = 40.0  # a sigmoid this far down its slope is below 1e-17: older errors cannot count
STEEPEST = 700.0  # exp(-700) is about 1e-304: a sigmoid further down would be zero


class LearnPPNSEClassifier(ChunkClassifier):
    """Learn++.NSE: one model a chunk, all kept, weighted by how they do lately.

    Every chunk adds a member. Every member is then judged on the newest chunk, with the rows that
    the ensemble already knew counting less, and its vote is the logarithm of one over a
    time-weighted mean of these errors. So a member from long ago that fits the present again gets
    its voice back: nothing is thrown away, unless pruning is asked for.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(min_samples_leaf=5)`` by default. As published:
        `LearnPPNSEClassifier.as_published()`: ``estimator=CARTClassifier()``. Any scikit-learn
        classifier will do.
    n_estimators : int, optional
        The most members kept; needs `prune`. By default all are kept.
    weighting : {"sliding", "age", "uniform", "last", "printed"}, default="sliding"
        How a member's errors are averaged over time. "sliding": a sigmoid that moves with time,
        about the last `crossing` errors count. "age": a sigmoid in the member's age, as printed
        in [2]_; an old member's weight becomes a long-run mean. "uniform": the plain mean.
        "last": the newest error only. "printed": equation 6 as printed in [1]_, the sum, not a
        mean, of the sigmoids of the errors themselves. It grows with age, and where it exceeds 1
        the member's weight is negative. The largest sum of weights wins, among the classes that a
        member knows; for probabilities a row's least sum is taken off where it is negative.
    slope, crossing : float, default=0.5 and 10
        The sigmoid's parameters (*a* and *b*). With "age" and "printed" their product is at most
        700, beyond which the sigmoid begins at zero.
    prune : {None, "age", "error"}, default=None
        Which member goes when there are more than `n_estimators`: the oldest, or the one with
        the largest error on the newest chunk. The newest always stays.
    use_distribution : {"error_only", "resample", "sample_weight"}, default="error_only"
        Whether the distribution over the rows only weights the errors, or also trains the new
        member, by a draw or by weights.
    error_floor : "half_instance" or float, default="half_instance"
        The smallest error that counts, so that no vote is infinite.
    max_retries : int, default=10
        How often a new member whose error exceeds 1/2 is trained again, where training again can
        give another result. The best attempt stays, with no vote for the time being.
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
        One row a member.
    history_ : History
        The voting weights over time.
    step_ : int
        The chunks learned; after `fit`, those that the table was cut into.
    n_weak_ : int
        Members that stayed above an error of 1/2 when they were trained.

    References
    ----------
    .. [1] M. Karnick, M. Muhlbaier, R. Polikar, "Incremental Learning in Non-stationary
       Environments with Concept Drift using a Multiple Classifier Based Approach", ICPR 2008.
    .. [2] R. Elwell, R. Polikar, "Incremental Learning of Concept Drift in Nonstationary
       Environments", IEEE Trans. Neural Networks 22(10), 2011, doi:10.1109/TNN.2011.2160459.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> model = LearnPPNSEClassifier()
    >>> stream = SEA(n_rows=10_000, noise=0.1, random_state=0)
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> len(model.members_)
    40
    >>> model.score(*stream.test_set(9_999, 1_000, random_state=1)) > 0.9
    True
    """

    STATE: ClassVar[dict[str, Field]] = {**ChunkClassifier.STATE, "n_weak_": integer(0)}
    _parameter_constraints = {
        **ChunkClassifier._parameter_constraints,
        "weighting": [StrOptions({"sliding", "age", "uniform", "last", "printed"})],
        "slope": [Interval(Real, 0, None, closed="neither")],
        "crossing": [Interval(Real, 0, None, closed="left")],
        "prune": [StrOptions({"age", "error"}), None],
        "use_distribution": [StrOptions({"error_only", "resample", "sample_weight"})],
        "error_floor": [StrOptions({"half_instance"}), Interval(Real, 0, 0.5, closed="neither")],
        "max_retries": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = None,
        *,
        weighting: str = "sliding",
        slope: float = 0.5,
        crossing: float = 10,
        prune: str | None = None,
        use_distribution: str = "error_only",
        error_floor: str | float = "half_instance",
        max_retries: int = 10,
        chunk_size: int | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.weighting = weighting
        self.slope = slope
        self.crossing = crossing
        self.prune = prune
        self.use_distribution = use_distribution
        self.error_floor = error_floor
        self.max_retries = max_retries
        self.chunk_size = chunk_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _validate_params(self) -> None:
        super()._validate_params()
        if (self.prune is None) != (self.n_estimators is None):
            raise ValueError(
                f"n_estimators={self.n_estimators} and prune={self.prune!r} go together: give "
                "both to limit the number of members, or neither to keep them all"
            )
        if self.weighting in ("age", "printed") and self.slope * self.crossing > STEEPEST:
            raise ValueError(
                f"slope * crossing must be at most {STEEPEST:g} with weighting={self.weighting!r}, "
                f"else the sigmoid begins at zero; got {self.slope} * {self.crossing}"
            )

    def _begin(self) -> None:
        super()._begin()
        self.n_weak_ = 0

    def _learn(self, chunk: Chunk) -> None:
        committee, y = self.committee_, chunk.y
        labels = committee.labels(chunk.X)
        known = (
            self._counted(labels).argmax(axis=1) == y if len(committee) else np.ones(len(y), bool)
        )
        D = penalize(chunk.w, ~known)
        make, redrawn = partial(self._rows, chunk, D), self.use_distribution == "resample"
        newest = best_attempt(self, chunk, D, make, redrawn, self.max_retries)
        self.n_weak_ += newest.weak
        eps = np.append(weighted_error(labels != y, D), newest.error)
        beta = odds(eps, error_floor(self.error_floor, chunk.w.sum()))
        committee.add(newest.model, created_at=self.step_, **self._no_past())
        committee["error"] = eps
        weight = np.log(1.0 / self._time_mean(beta))
        committee["weight"] = weight if self.weighting == "printed" else np.maximum(0.0, weight)
        if self.n_estimators is not None and len(committee) > self.n_estimators:
            worst = 0 if self.prune == "age" else int(np.minimum(eps[:-1], WEAK).argmax())
            committee.drop(worst)

    def _rows(self, chunk: Chunk, D: np.ndarray) -> Chunk:
        """Return what the new member is trained on."""
        if self.use_distribution == "resample":
            return chunk.drawn(D, self.rng_, cover=False)
        if self.use_distribution == "sample_weight":
            return chunk.weighted(D * chunk.w.sum())
        return chunk

    def _no_past(self) -> dict[str, Any]:
        """Return the empty record of a new member's errors: enough of it for the weighting."""
        if self.weighting == "sliding":
            return {"beta": np.zeros(int(np.ceil(self.crossing + FADED / self.slope)) + 1)}
        return {"sum": 0.0, "total": 0.0}

    def _time_mean(self, beta: Floats) -> Floats:
        """Return the time-weighted mean of the members' normalised errors, the newest added.

        As printed it is a sum.
        """
        committee, age = self.committee_, self.step_ - self.committee_["created_at"]
        if self.weighting == "sliding":
            committee["beta"] = np.column_stack([committee["beta"][:, 1:], beta])
            return sliding_mean(committee["beta"], age, self.slope, self.crossing)
        if self.weighting == "last":
            return beta
        if self.weighting == "printed":
            committee["sum"] = committee["sum"] + age_sigmoid(beta, self.slope, self.crossing)
            return committee["sum"]
        om = age_sigmoid(age, self.slope, self.crossing) if self.weighting == "age" else 1.0
        committee["sum"] = committee["sum"] + om * beta
        committee["total"] = committee["total"] + om
        return committee["sum"] / committee["total"]

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self._counted(self.committee_.labels(X))

    def _counted(self, labels: Ints) -> Floats:
        """Return the scores of the members' labels; as printed, weights may be negative."""
        committee = self.committee_
        if self.weighting != "printed":
            return committee.vote(labels)
        known = np.isin(self.classes_, np.concatenate([each.classes_ for each in committee]))
        return signed_vote(labels, committee["weight"], known)
