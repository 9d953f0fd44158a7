"""Learn++.NSE: incremental learning in nonstationary environments."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.chunk import WEAK, Chunk, penalize, weighted_error
from driftlearn.ensemble.chunk.attempts import best_attempt
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.member_weights import age_sigmoid, error_floor, odds, sliding_mean
from driftlearn.ensemble.votes import signed_vote
from driftlearn.io.schema import Field, integer
from driftlearn.utils.arguments import Floats
from driftlearn.utils.docstrings import inherit_docs

# At 40 / slope before its crossing, a sigmoid is below 1e-17: older errors do not affect the mean.
FADED = 40.0
STEEPEST = 700.0  # exp(-700) is about 1e-304; beyond this, the sigmoid underflows to zero


@inherit_docs
@dataclass(eq=False, repr=False)
class LearnPPNSEClassifier(ChunkClassifier):
    """Learn++.NSE: one model per chunk, weighted by time-averaged errors on recent chunks.

    Every chunk adds a member. All members are then evaluated on the newest chunk, with less weight
    on rows that the ensemble already predicts correctly. A member's voting weight is the logarithm
    of the inverse of a time-weighted mean of its errors. Members are kept, so that old ones regain
    weight when their concept recurs, unless pruning is requested.

    Paper settings: `LearnPPNSEClassifier.as_published()` has
    ``estimator=CARTClassifier(smoothing=0.0)``, ``vote="hard"``.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; by default ``CARTClassifier(min_samples_leaf=5)``.
    n_estimators : int, optional
        Maximum number of members; requires `prune`. By default all are kept.
    weighting : {"sliding", "age", "uniform", "last", "printed"}, default="sliding"
        How a member's errors are averaged over time. "sliding": by a sigmoid that moves with time;
        about the last `crossing` errors count. "age": by a sigmoid of the member's age, as printed
        in [2]_; the weight of an old member then depends on a long-run mean. "uniform": the plain
        mean. "last": the newest error only. "printed": equation 6 as printed in [1]_, the sum, not
        the mean, of the sigmoids of the errors themselves. It grows with age, and if it exceeds 1,
        the member's weight is negative. The class with the largest sum of weights among the
        members' classes is predicted; to obtain probabilities, a negative minimum of a row is
        subtracted.
    slope, crossing : float, default=0.5 and 10
        Parameters of the sigmoid (*a* and *b*). With "age" and "printed" their product is at most
        700, beyond which the sigmoid underflows.
    prune : {None, "age", "error"}, default=None
        Which member is dropped when there are more than `n_estimators`: the oldest member, or the
        member with the largest error on the newest chunk. The newest member is always kept.
    use_distribution : {"error_only", "resample", "sample_weight"}, default="error_only"
        Whether the distribution over the rows only weights the errors, or is also used to train
        the new member, by resampling or by sample weights.
    error_floor : "half_instance" or float, default="half_instance"
        Smallest error used for voting weights, which keeps them finite.
    max_retries : int, default=10
        Maximum number of times that a new member with an error above 1/2 is retrained, if the
        result can differ. The best attempt is kept, with weight zero in this step.
    vote : {"soft", "hard"}, default="soft"
        Whether members vote by probabilities or, as published, by labels. With
        weighting="printed", they vote by labels.
    %(other_parameters)s

    Attributes
    ----------
    %(other_attributes)s
    n_weak_ : int
        Number of members whose training error remained above 1/2.

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

    n_estimators: int | None = None
    _: KW_ONLY
    weighting: str = "sliding"
    slope: float = 0.5
    crossing: float = 10
    prune: str | None = None
    use_distribution: str = "error_only"
    error_floor: str | float = "half_instance"
    max_retries: int = 10
    vote: str = "soft"

    PUBLISHED = {**ChunkClassifier.PUBLISHED, "vote": "hard"}
    STATE: ClassVar[dict[str, Field]] = {"n_weak_": integer(0)}
    _parameter_constraints = {
        "weighting": [StrOptions({"sliding", "age", "uniform", "last", "printed"})],
        "slope": [Interval(Real, 0, None, closed="neither")],
        "crossing": [Interval(Real, 0, None, closed="left")],
        "prune": [StrOptions({"age", "error"}), None],
        "use_distribution": [StrOptions({"error_only", "resample", "sample_weight"})],
        "error_floor": [StrOptions({"half_instance"}), Interval(Real, 0, 0.5, closed="neither")],
        "max_retries": [Interval(Integral, 0, None, closed="left")],
        "vote": [StrOptions({"soft", "hard"})],
    }

    def _validate_params(self) -> None:
        super()._validate_params()
        if (self.prune is None) != (self.n_estimators is None):
            given, other = (
                (f"prune={self.prune!r}", "n_estimators, the number of members to keep")
                if self.n_estimators is None
                else (f"n_estimators={self.n_estimators}", "prune='age' or prune='error', which "
                      "selects the member to drop")
            )  # fmt: skip
            raise ValueError(f"{given} requires {other}. To keep all members, leave both at None.")
        if self.weighting in ("age", "printed") and self.slope * self.crossing > STEEPEST:
            raise ValueError(
                f"slope * crossing must be at most {STEEPEST:g} with weighting={self.weighting!r}; "
                f"otherwise the sigmoid underflows. Got {self.slope} * {self.crossing} instead."
            )

    def _begin(self) -> None:
        super()._begin()
        self.n_weak_ = 0

    def _learn(self, chunk: Chunk) -> None:
        committee, y = self.committee_, chunk.y
        labels = committee.labels(chunk.X)
        known = (
            self._scores(chunk.X).argmax(axis=1) == y if len(committee) else np.ones(len(y), bool)
        )
        # Steps 1 and 2: emphasize the rows that the ensemble misclassifies.
        D = penalize(chunk.w, ~known)
        make, redrawn = partial(self._rows, chunk, D), self.use_distribution == "resample"
        newest = best_attempt(self, chunk, D, make, redrawn, self.max_retries)
        self.n_weak_ += newest.weak
        # Step 4: errors of all members on the newest chunk; step 5: their time-weighted mean.
        eps = np.append(weighted_error(labels != y, D), newest.error)
        beta = odds(eps, error_floor(self.error_floor, chunk.w.sum()))
        committee.add(newest.model, created_at=self.step_, **self._error_columns())
        committee["error"] = eps
        weight = np.log(1.0 / self._time_mean(beta))
        committee["weight"] = weight if self.weighting == "printed" else np.maximum(0.0, weight)
        if self.n_estimators is not None and len(committee) > self.n_estimators:
            worst = 0 if self.prune == "age" else int(np.minimum(eps[:-1], WEAK).argmax())
            committee.drop(worst)

    def _rows(self, chunk: Chunk, D: np.ndarray) -> Chunk:
        """Return the training rows of the new member."""
        if self.use_distribution == "resample":
            return chunk.drawn(D, self.rng_, cover=False)
        if self.use_distribution == "sample_weight":
            return chunk.weighted(D * chunk.w.sum())
        return chunk

    def _error_columns(self) -> dict[str, Any]:
        """Return a new member's values in the columns where `weighting` stores past errors."""
        if self.weighting == "sliding":
            return {"beta": np.zeros(int(np.ceil(self.crossing + FADED / self.slope)) + 1)}
        return {"sum": 0.0, "total": 0.0}

    def _time_mean(self, beta: Floats) -> Floats:
        """Add the newest normalized errors; return the time-weighted mean of each member's errors.

        With weighting="printed", return the sum instead.
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
        committee = self.committee_
        if self.weighting == "printed":  # weights may be negative
            known = np.isin(self.classes_, np.concatenate([each.classes_ for each in committee]))
            return signed_vote(committee.labels(X), committee["weight"], known)
        return committee.vote(committee.probas(X) if self.vote == "soft" else committee.labels(X))
