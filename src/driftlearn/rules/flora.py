"""FLORA2 and FLORA3: concept descriptions over a window of adaptive size."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io import schema
from driftlearn.rules._flora_description import Concept, Description, conditions_of
from driftlearn.utils.arguments import invalid

Item = tuple[tuple[tuple[int, float], ...], tuple[int, int]]
STABLE, DRIFTING = "stable", "drifting"
COUNT = Interval(Integral, 1, None, closed="left")
POSITIVE = Interval(Real, 0, None, closed="neither")
SHARE = Interval(Real, 0, 1, closed="neither")


@dataclass(eq=False, repr=False, kw_only=True)
class FLORA2Classifier(OnlineClassifier):
    """FLORA2: rule learner with conjunctions for both classes over a window of adaptive size.

    Features are nominal: values are only compared for equality. An *item* is a conjunction of
    conditions (feature, value). Items that match only positive rows of the window are in ADES,
    those that match only negative rows in NDES, all others in PDES. If no item of its own class
    matches a new row, the item that needs to drop the fewest conditions to match the row is
    generalized, provided that it then matches no row of the other class; otherwise the row becomes
    a new item. A row is predicted to be positive if an item of ADES matches it.

    The window shrinks by the fraction `forget` when drift is suspected: the description covers few
    rows for its length, or accuracy is low and falling. It shrinks by one row at a time while the
    description is extremely good, keeps its size while it is good, and grows otherwise.

    Supports two classes; the second of ``classes_`` is the positive class. Row weights are ignored.

    Parameters
    ----------
    low_coverage : float, default=1.2
        Drift is suspected if ADES covers fewer positive rows per condition than this.
    high_coverage : float, default=4.0
        Coverage above which the description is good; above twice this value it is extremely good.
    accuracy : float, default=0.7
        Accuracy below which drift may be suspected, and which a good description must exceed.
    accuracy_window : int, default=20
        Number of latest predictions from which accuracy is computed.
    forget : float, default=0.2
        Fraction of the window that is removed when drift is suspected.
    min_window, max_window : int, default=20, 500
        Minimum and maximum number of rows in the window.
    max_items : int, default=200
        Maximum number of items; items that match the fewest rows are removed first.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    ades_, pdes_, ndes_ : list of tuple
        The items that match only positive rows, rows of both classes, and only negative rows:
        conditions (feature, value), and numbers of (positive, negative) rows of the window matched.
    window_size_ : int
        Current number of rows in the window.
    n_drifts_ : int
        Number of times that drift was suspected.
    n_rows_ : int
        Number of rows trained on.
    description_ : Description
        The window and the items.

    References
    ----------
    .. [1] G. Widmer, M. Kubat, "Learning in the Presence of Concept Drift and Hidden Contexts",
       Machine Learning 23(1), 1996, doi:10.1007/BF00116900.

    Examples
    --------
    >>> from driftlearn.streams import STA
    >>> X, y = STA(noise=0.0, random_state=0).take(200)
    >>> model = FLORA2Classifier().partial_fit(X, y)
    >>> model.ades_  # size=S and colour=R
    [(((0, 0.0), (2, 0.0)), (9, 0))]
    """

    low_coverage: float = 1.2
    high_coverage: float = 4.0
    accuracy: float = 0.7
    accuracy_window: int = 20
    forget: float = 0.2
    min_window: int = 20
    max_window: int = 500
    max_items: int = 200

    STATE: ClassVar[dict[str, schema.Field]] = {
        "description_": schema.a(Description, n_features="n_features_in_"),
        "results_": schema.list_of(schema.flag()),
        "right_": schema.optional(schema.number(0, 1), needed=True),
        "n_drifts_": schema.integer(0, 2**62),
    }
    _poor_score = True  # on continuous features, whose values rarely repeat
    _parameter_constraints = {
        "low_coverage": [POSITIVE],
        "high_coverage": [POSITIVE],
        "accuracy": [SHARE],
        "accuracy_window": [COUNT],
        "forget": [SHARE],
        "min_window": [COUNT],
        "max_window": [COUNT],
        "max_items": [COUNT],
    }
    _two_classes = True

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the description has the classifier's classes."""
        known = state.get("description_")
        n = len(state.get("classes_", ()))
        if known is not None and (n > 2 or known.came[n:].any()):
            raise schema.InvalidStateError("'description_' has more classes than the classifier.")

    @property
    def ades_(self) -> list[Item]:
        """The items that match positive rows only."""
        return [item for item in self._items() if item[1][0] and not item[1][1]]

    @property
    def pdes_(self) -> list[Item]:
        """The items that match rows of both classes."""
        return [item for item in self._items() if item[1][0] and item[1][1]]

    @property
    def ndes_(self) -> list[Item]:
        """The items that match negative rows only."""
        return [item for item in self._items() if not item[1][0]]

    @property
    def window_size_(self) -> int:
        """Current number of rows in the window."""
        self._check_fitted()
        return len(self.description_.rows)

    def _items(self) -> list[Item]:
        with self._locked():
            self._check_fitted()
            return self.description_.table()

    def _validate_params(self) -> None:
        super()._validate_params()
        for least, most in (("low_coverage", "high_coverage"), ("min_window", "max_window")):
            low, high = getattr(self, least), getattr(self, most)
            if low > high:
                raise invalid(least, f"at most {most}={high}", low)

    def _begin(self) -> None:
        super()._begin()
        self.description_ = Description(self.n_features_in_)
        self.results_: list[bool] = []  # whether each of the latest predictions was correct
        self.right_: float | None = None  # accuracy of these predictions after the last row
        self.n_drifts_ = 0

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        # A new class sorts before the only known class, which becomes the positive class.
        if positions[0] == 1:
            self.description_.swap()

    def _learn_one(self, X: np.ndarray, i: int, y: int, w: float) -> None:
        known = self.description_
        row = conditions_of(X[i : i + 1])
        if known.came.any():
            right = known.predict(row)[0] == y
            self.results_ = [*self.results_, right][-self.accuracy_window :]
        known.join(row[0], y)
        known.learn(row[0], y)
        trend, leaving = self._suspect_drift()
        known.forget(leaving)
        self._store_or_recall(trend)
        known.bound(self.max_items)

    def _suspect_drift(self) -> tuple[str, int]:
        """Return the state of the concept and the number of oldest rows to remove."""
        n, trend, leaving = len(self.description_.rows), "", 0
        if self.results_:
            coverage = self.description_.coverage()
            before, self.right_ = self.right_, sum(self.results_) / len(self.results_)
            good = self.right_ > self.accuracy
            falling = before is not None and self.right_ < before
            short = 0 <= coverage < self.low_coverage
            if n > self.min_window and (short or (self.right_ < self.accuracy and falling)):
                trend, leaving = DRIFTING, max(1, int(self.forget * n))
                self.n_drifts_ += 1
            # Remove two rows per new row if the accuracy is very good (the window shrinks), one if
            # it is good (constant size).
            elif good and coverage > self.high_coverage:
                trend, leaving = STABLE, 2 if coverage > 2 * self.high_coverage else 1
        leaving = min(leaving, max(0, n - self.min_window))
        return trend, max(leaving, n - self.max_window)

    def _store_or_recall(self, trend: str) -> None:
        """Store or recall a description; does nothing in FLORA2."""

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.zeros((len(X), len(self.classes_)))
        if self.description_.came.any():
            scores[np.arange(len(X)), self.description_.predict(conditions_of(X))] = 1.0
        return scores


@dataclass(eq=False, repr=False, kw_only=True)
class FLORA3Classifier(FLORA2Classifier):
    """FLORA3: FLORA2 with a memory of stable concept descriptions, for recurring concepts.

    Features are nominal: values are only compared for equality. An *item* is a conjunction of
    conditions (feature, value). Items that match only positive rows of the window are in ADES,
    those that match only negative rows in NDES, all others in PDES. A row is predicted to be
    positive if an item of ADES matches it. The window shrinks when drift is suspected, and grows
    while the description is neither good nor bad. This part is FLORA2.

    A good description is stored. When drift is suspected, FLORA3 considers the stored descriptions
    that classify the current row correctly and selects the one that is right on most rows of the
    window. Its items are recounted and extended to cover all rows of the window. It replaces the
    current description if it covers more positive rows per condition.

    Supports two classes; the second of ``classes_`` is the positive class. Row weights are ignored.

    Parameters
    ----------
    low_coverage : float, default=1.2
        Drift is suspected if ADES covers fewer positive rows per condition than this.
    high_coverage : float, default=4.0
        Coverage above which the description is good; above twice this value it is extremely good.
    accuracy : float, default=0.7
        Accuracy below which drift may be suspected, and which a good description must exceed.
    accuracy_window : int, default=20
        Number of latest predictions from which accuracy is computed.
    forget : float, default=0.2
        Fraction of the window that is removed when drift is suspected.
    min_window, max_window : int, default=20, 500
        Minimum and maximum number of rows in the window.
    max_items : int, default=200
        Maximum number of items; items that match the fewest rows are removed first.
    max_concepts : int, default=10
        Maximum number of stored descriptions; the oldest is removed first.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    ades_, pdes_, ndes_ : list of tuple
        The items that match only positive rows, rows of both classes, and only negative rows:
        conditions (feature, value), and numbers of (positive, negative) rows of the window matched.
    window_size_ : int
        Current number of rows in the window.
    n_drifts_ : int
        Number of times that drift was suspected.
    n_rows_ : int
        Number of rows trained on.
    description_ : Description
        The window and the items.
    n_concepts_ : int
        Number of stored descriptions.
    n_returns_ : int
        Number of times that a stored description was recalled.
    concepts_ : list of Concept
        The stored descriptions, oldest first.

    References
    ----------
    .. [1] G. Widmer, M. Kubat, "Learning in the Presence of Concept Drift and Hidden Contexts",
       Machine Learning 23(1), 1996, doi:10.1007/BF00116900.

    Examples
    --------
    >>> from driftlearn.streams import STA
    >>> X, y = STA(n_rows=1_200, segment=200, noise=0.0, random_state=0).take(1_200)
    >>> model = FLORA3Classifier().partial_fit(X, y)
    >>> model.n_drifts_, model.n_returns_
    (110, 17)
    """

    max_concepts: int = 10

    STATE: ClassVar[dict[str, schema.Field]] = {
        "concepts_": schema.list_of(schema.a(Concept, n_features="n_features_in_")),
        "n_returns_": schema.integer(0, 2**62),
    }
    _parameter_constraints = {"max_concepts": [COUNT]}

    @property
    def n_concepts_(self) -> int:
        """Number of stored descriptions."""
        self._check_fitted()
        return len(self.concepts_)

    def _begin(self) -> None:
        super()._begin()
        self.concepts_: list[Concept] = []
        self.n_returns_ = 0

    def _store_or_recall(self, trend: str) -> None:
        known = self.description_
        if trend == STABLE:
            concept = known.concept()
            if concept.positive:
                others = [each for each in self.concepts_ if each.positive != concept.positive]
                self.concepts_ = [*others, concept][-self.max_concepts :]
        elif trend == DRIFTING:
            row, y, _ = known.rows[-1]
            right = [each for each in self.concepts_ if each.predict_row(row) == y]
            if not right:
                return
            best = max(right, key=known.n_right)
            items = known.recalled(best)
            if known.coverage(items) > known.coverage():
                known.items = items
                self.n_returns_ += 1
                self.concepts_ = [each for each in self.concepts_ if each is not best] + [best]
