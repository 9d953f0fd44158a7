"""The weighted majority algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.class_weight import CLASS_WEIGHT
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import Field, InvalidStateError, list_of, number, word
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier
from driftlearn.tree.hoeffding_adaptive_tree import HoeffdingAdaptiveTreeClassifier
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.utils.table import Table

COLUMNS = "weight", "error", "asked", "wrong"
SMALLEST = 1e-75  # of a weight, the heaviest being 1: it can come back, and nothing is 0


class WeightedMajorityClassifier(OnlineClassifier):
    """Weighted majority: a fixed pool of experts; each mistake costs an expert weight.

    All experts learn every row. Before that each is asked, and one that is wrong has its weight
    multiplied by `beta`. Nobody leaves and nobody comes: the whole makes hardly more mistakes than
    the best expert of the pool. `DWMClassifier` replaces experts, and `AutoClassifier` forgets old
    mistakes.

    Parameters
    ----------
    estimators : list of (str, classifier), optional
        The experts, by name; classifiers with `partial_fit`. By default a naive Bayes
        ("bayes"), a Hoeffding tree ("tree"), one that splits early ("fast_tree") and an adaptive
        one ("adaptive_tree"). A learner of another library cannot take a class that it has not
        been told of: it starts again from the row that has it, unless the first call announces
        all labels with `classes`.
    variant : {"wm", "wml", "wmr"}, default="wm"
        "wm" answers by the weighted vote. "wml" does not punish experts who have hardly any weight
        left, so that they can return when the best expert is another one. "wmr" follows one
        expert, drawn by weight; the draw belongs to the row learned last and holds until the next.
    beta : float, default=0.5
        What a mistake multiplies an expert's weight by.
    floor : float, default=0.01
        "wml" punishes an expert only while its weight is above this share of the mean weight.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Seeds experts that are random, and decides the draws of "wmr".

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row an expert: ``name``, ``id``, ``created_at``, ``weight`` (the heaviest has 1),
        ``error`` (share of mistakes), ``classes`` (the labels it has learned), ``size``, ``bytes``.
    n_members_, n_rows_ : int
        The number of experts; of rows learned.
    estimators_ : list
        The experts' models.
    history_ : History
        The weights every 200 rows, later every 400, and so on.
    committee_ : OnlineCommittee
        The experts and what is kept of each.

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

    STATE: ClassVar[dict[str, Field]] = {
        **OnlineClassifier.STATE,
        "names_": list_of(word()),
        "draw_": number(0, 1),
    }
    _only_members_use_rows = True
    _parameter_constraints: dict[str, list[Any]] = {
        "estimators": [list, tuple, None],
        "variant": [StrOptions({"wm", "wml", "wmr"})],
        "beta": [Interval(Real, 0, 1, closed="neither")],
        "floor": [Interval(Real, 0, 1, closed="neither")],
        "class_weight": CLASS_WEIGHT,
        "random_state": ["random_state"],
    }
    names_: list[str]
    draw_: float  # of the row learned last, for "wmr"

    def __init__(
        self,
        estimators: Sequence[tuple[str, Any]] | None = None,
        *,
        variant: str = "wm",
        beta: float = 0.5,
        floor: float = 0.01,
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.estimators = estimators
        self.variant = variant
        self.beta = beta
        self.floor = floor
        self.class_weight = class_weight
        self.random_state = random_state

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless every expert has a name and its numbers."""
        if "committee_" not in state:
            return
        if len(state["names_"]) != len(state["committee_"]) or not state["names_"]:
            raise InvalidStateError("a pool of another number of experts than names")
        if state["committee_"].columns[2:] != COLUMNS:
            raise InvalidStateError(f"a pool that does not keep {COLUMNS} of its experts")
        weights = state["committee_"]["weight"]
        if not ((weights > 0) & (weights <= 1)).all():
            raise InvalidStateError("a pool with weights that are not above 0 and up to 1")

    @property
    def members_(self) -> Table:
        """One row an expert: name, number, row of birth, weight, error, classes, size, bytes."""
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
                raise ValueError(
                    "estimators of WeightedMajorityClassifier must be pairs of a name and a "
                    f"classifier, got {each!r:.80}"
                )
            name, learner = each
            if isinstance(learner, type) or not hasattr(learner, "partial_fit"):
                raise ValueError(
                    f"{name!r} of WeightedMajorityClassifier's estimators must be a classifier "
                    f"with partial_fit, got {learner!r:.80}"
                )
            if name in names:
                raise ValueError(
                    f"two of WeightedMajorityClassifier's estimators are called {name!r}; names "
                    "must differ"
                )
            names.add(name)
        if not names:
            raise ValueError(
                "estimators of WeightedMajorityClassifier must be at least one; got none"
            )

    def _base_learners(self) -> list[Any]:
        return [learner for _, learner in self._pool()]

    def _check_number(self, classes: np.ndarray) -> None:
        super()._check_number(classes)
        for learner in self._base_learners():
            if isinstance(learner, StreamClassifier):
                learner._check_number(classes)

    def _begin(self) -> None:
        super()._begin()
        self.names_ = [name for name, _ in self._pool()]
        self.draw_ = 0.0
        self.committee_ = self._new_committee(*COLUMNS)
        for learner in self._base_learners():
            self.committee_.add(self._model_of(learner))

    def _learn_one(self, X: np.ndarray, i: int, y: int, w: float) -> None:
        committee = self.committee_
        said = committee.predict(X, i)
        wrong = (said >= 0) & (said != y)
        punished, weights = wrong, committee["weight"]
        if self.variant == "wml":
            punished = wrong & (weights > self.floor / len(said) * np.cumsum(weights)[-1])
        weights = np.where(punished, weights * self.beta, weights)
        committee.update(X, i, y, np.full(len(said), w))
        committee["weight"] = np.maximum(weights / weights.max(), SMALLEST)
        committee["asked"] += said >= 0
        committee["wrong"] += wrong
        committee["error"] = committee["wrong"] / np.maximum(committee["asked"], 1.0)
        if self.variant == "wmr":
            self.draw_ = float(self.rng_.random())

    def _scores(self, X: np.ndarray) -> np.ndarray:
        committee = self.committee_
        scores = np.zeros((len(X), len(self.classes_)))
        if self.variant == "wmr":
            for i in range(len(X)):
                said = committee.predict(X, i)
                known = np.flatnonzero(said >= 0)
                if len(known):
                    sums = np.cumsum(committee["weight"][known])
                    drawn = np.searchsorted(sums, self.draw_ * sums[-1], side="right")
                    scores[i, said[known[min(drawn, len(known) - 1)]]] = 1.0
        else:
            scores = committee.scores(X)
        came = np.flatnonzero(committee.seen_classes)
        if len(came):
            scores[~scores.any(axis=1), came[0]] = 1.0
        return scores


def default_experts() -> list[tuple[str, Any]]:
    """Return the experts of a pool that nobody named: from a quick learner to slow trees."""
    return [
        ("bayes", GaussianNBClassifier()),
        ("tree", HoeffdingTreeClassifier()),
        ("fast_tree", HoeffdingTreeClassifier(grace_period=50, delta=0.01)),
        ("adaptive_tree", HoeffdingAdaptiveTreeClassifier()),
    ]
