"""Weighted majority algorithm."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.ensemble._online_committee import OnlineCommittee
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import Field, InvalidStateError, a, list_of, number, word
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier
from driftlearn.tree.hoeffding_adaptive_tree import HoeffdingAdaptiveTreeClassifier
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.utils.arguments import invalid
from driftlearn.utils.table import Table

COLUMNS = "weight", "error", "n_tested", "n_wrong"
SMALLEST = 1e-75  # lower bound of relative weights: experts can recover, and products stay above 0


@dataclass(eq=False, repr=False)
class WeightedMajorityClassifier(OnlineClassifier):
    """Weighted majority: a fixed pool of experts that lose weight with each error.

    Every expert predicts each row; the weights of the experts that are wrong are multiplied by
    `beta`, and all experts are trained on the row. The pool does not change, and the ensemble makes
    only slightly more errors than its best expert. `DWMClassifier` replaces experts, and
    `AutoClassifier` weights candidates by recent performance.

    Paper settings: `WeightedMajorityClassifier.as_published()` has ``vote="majority"``.

    Parameters
    ----------
    estimators : list of (str, classifier), optional
        The experts, by name; classifiers with `partial_fit`. By default: naive Bayes ("bayes"), a
        Hoeffding tree ("tree"), a Hoeffding tree that splits early ("fast_tree") and a Hoeffding
        adaptive tree ("adaptive_tree"). External learners cannot adopt new classes: at the first
        row of a new class, such an expert is replaced by a new one, unless the first call declares
        all labels with `classes`.
    variant : {"wm", "wml", "wmr"}, default="wm"
        "wm": weighted vote. "wml": as "wm", but weights below `floor` are not reduced further, so
        that experts can recover after a change of the best expert. "wmr": the prediction of a
        single expert, drawn at random by weight after each training row.
    beta : float, default=0.5
        Factor by which an error reduces an expert's weight.
    floor : float, default=0.01
        "wml" reduces weights only above this share of the mean weight.
    vote : {"soft", "majority"}, default="soft"
        Whether "wm" and "wml" add the experts' probabilities or, as published, votes for labels.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the experts
        with this parameter, unless their own value is set.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied. A dict maps labels to weights; other
        classes have weight 1. "balanced" uses n / (k * rows of the class), with the n rows and k
        classes so far, at most 100.
    random_state : int, Generator, RandomState or None
        Seed of the experts and of the draws of "wmr".

    Attributes
    ----------
    classes_ : ndarray
        The known labels, sorted.
    members_ : Table
        One row per expert: ``name``, ``id``, ``created_at``, ``weight`` (the largest is 1),
        ``error`` (error rate), ``classes`` (its labels), ``size``, ``bytes``.
    n_members_, n_rows_ : int
        Number of experts; number of rows trained on.
    estimators_ : list
        The experts' models.
    history_ : History
        The weights every 200 rows; the interval doubles as the stream grows.
    committee_ : OnlineCommittee
        The experts and their statistics.

    References
    ----------
    .. [1] N. Littlestone, M. K. Warmuth, "The Weighted Majority Algorithm", Information and
       Computation 108(2), 1994, doi:10.1006/inco.1994.1009.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier, NoChangeClassifier
    >>> from driftlearn.streams import SEA
    >>> pool = [("bayes", GaussianNBClassifier()), ("last label", NoChangeClassifier())]
    >>> X, y = SEA(n_rows=500, noise=0.0, random_state=0).take(500)
    >>> model = WeightedMajorityClassifier(pool).partial_fit(X, y)
    >>> [(row["name"], f"{row['weight']:.0e}") for row in model.members_]
    [('bayes', '1e+00'), ('last label', '1e-44')]
    """

    estimators: Sequence[tuple[str, Any]] | None = None
    _: KW_ONLY
    variant: str = "wm"
    beta: float = 0.5
    floor: float = 0.01
    vote: str = "soft"
    nominal_features: Any = None
    class_weight: Any = None
    random_state: Any = None

    PUBLISHED = {"vote": "majority"}
    STATE: ClassVar[dict[str, Field]] = {
        "committee_": a(OnlineCommittee, columns=("id", "created_at", *COLUMNS), length="experts"),
        "names_": list_of(word(), "experts"),
        "draw_": number(0, 1),
    }
    _only_members_use_rows = True
    _columns = COLUMNS
    _parameter_constraints = {
        "estimators": [list, tuple, None],
        "variant": [StrOptions({"wm", "wml", "wmr"})],
        "beta": [Interval(Real, 0, 1, closed="neither")],
        "floor": [Interval(Real, 0, 1, closed="neither")],
        "vote": [StrOptions({"soft", "majority"})],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless there are experts and their weights are valid."""
        if "committee_" not in state:
            return
        weights = state["committee_"]["weight"]
        if not (len(weights) and ((weights > 0) & (weights <= 1)).all()):
            raise InvalidStateError("the weights of the pool must be in (0, 1]")

    @property
    def members_(self) -> Table:
        """One row per expert: name, id, creation row, weight, error, classes, size, bytes."""
        with self._locked():
            table = super().members_
            return Table({"name": self.names_, **{name: table[name] for name in table.columns}})

    def _pool(self) -> Sequence[tuple[str, Any]]:
        return default_experts() if self.estimators is None else self.estimators

    def _validate_params(self) -> None:
        super()._validate_params()
        names = set()
        for each in self._pool():
            if not isinstance(each, tuple | list) or len(each) != 2 or not isinstance(each[0], str):
                raise invalid("estimators", "a list of (name, classifier) pairs", each)
            name, learner = each
            if isinstance(learner, type) or not hasattr(learner, "partial_fit"):
                raise ValueError(
                    f"Estimator {name!r} of WeightedMajorityClassifier must be a classifier with "
                    f"partial_fit. Got {learner!r:.80} instead."
                )
            if name in names:
                raise invalid("estimators", "a list with distinct names", name)
            names.add(name)
        if not names:
            raise invalid("estimators", "a list with at least one pair", self.estimators)

    def _base_learners(self) -> list[Any]:
        return [self._informed(learner) for _, learner in self._pool()]

    def _check_number(self, classes: np.ndarray) -> None:
        super()._check_number(classes)
        for learner in self._base_learners():
            if isinstance(learner, StreamClassifier):
                learner._check_number(classes)

    def _begin(self) -> None:
        super()._begin()
        self.names_ = [name for name, _ in self._pool()]
        self.draw_ = 0.0  # random number drawn for the last row, for variant "wmr"
        for learner in self._base_learners():
            self.committee_.add(self._model_of(learner))

    def _learn_one(self, X: np.ndarray, i: int, y: int, w: float) -> None:
        committee = self.committee_
        predicted = committee.predict(X, i)
        wrong = (predicted >= 0) & (predicted != y)
        reduced, weights = wrong, committee["weight"]
        if self.variant == "wml":
            # cumsum adds in the order of the experts, whatever their number.
            reduced = wrong & (weights > self.floor / len(weights) * np.cumsum(weights)[-1])
        weights = np.where(reduced, weights * self.beta, weights)
        committee.update(X, i, y, np.full(len(weights), w))
        committee["weight"] = np.maximum(weights / weights.max(), SMALLEST)
        committee["n_tested"] += predicted >= 0
        committee["n_wrong"] += wrong
        committee["error"] = committee["n_wrong"] / np.maximum(committee["n_tested"], 1.0)
        if self.variant == "wmr":
            self.draw_ = float(self.rng_.random())

    def _scores(self, X: np.ndarray) -> np.ndarray:
        committee = self.committee_
        scores = np.zeros((len(X), len(self.classes_)))
        if self.variant == "wmr":
            for i in range(len(X)):
                predicted = committee.predict(X, i)
                known = np.flatnonzero(predicted >= 0)
                if len(known):
                    sums = np.cumsum(committee["weight"][known])
                    drawn = np.searchsorted(sums, self.draw_ * sums[-1], side="right")
                    scores[i, predicted[known[min(drawn, len(known) - 1)]]] = 1.0
        else:
            add = committee.blend if self.vote == "soft" else committee.tally
            scores = add(X, committee["weight"])
        seen = np.flatnonzero(committee.seen_classes)
        if len(seen):
            scores[~scores.any(axis=1), seen[0]] = 1.0
        return scores


def default_experts() -> list[tuple[str, Any]]:
    """Return the default experts: naive Bayes and three Hoeffding trees."""
    return [
        ("bayes", GaussianNBClassifier()),
        ("tree", HoeffdingTreeClassifier()),
        ("fast_tree", HoeffdingTreeClassifier(grace_period=50, delta=0.01)),
        ("adaptive_tree", HoeffdingAdaptiveTreeClassifier()),
    ]
