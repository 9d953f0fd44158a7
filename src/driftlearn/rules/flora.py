"""FLORA2 and FLORA3: descriptions of a concept over a window that adjusts its own size."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import (
    Field,
    InvalidStateError,
    a,
    flag,
    integer,
    list_of,
    number,
    optional,
)
from driftlearn.rules._flora_description import Concept, Description, conditions_of

Item = tuple[tuple[tuple[int, float], ...], tuple[int, int]]
STABLE, DRIFTING = "stable", "drifting"


class FLORA2Classifier(OnlineClassifier):
    """FLORA2: conjunctions that describe both classes in a window; the window finds its size.

    Features are nominal: each number is a value, and values are the same or not. An *item* is a
    conjunction of conditions (feature, value). Those that match positive rows of the window alone
    are in ADES, those that match negative ones alone in NDES, the others in PDES. A row that no
    item of its own class matches generalises the item that has to drop the fewest conditions and
    still matches no row of the other class, or becomes an item itself. A row is positive if an
    item of ADES matches it.

    The window shrinks by a share of `forget` when the concept seems to drift: its description
    covers few rows for its length, or accuracy is low and falling. It shrinks by one row at a time
    while the description is extremely good, stays as it is while it is good, and else grows.

    Two classes; the second of ``classes_`` is the positive one. Row weights do not count.

    Parameters
    ----------
    low_coverage : float, default=1.2
        A drift is suspected where ADES covers fewer positive rows of the window than this for each
        of its conditions.
    high_coverage : float, default=4.0
        Above this the description is good, above twice this extremely so.
    accuracy : float, default=0.7
        What accuracy is low, and has to be exceeded by a good description.
    accuracy_window : int, default=20
        The latest answers by which accuracy is judged.
    forget : float, default=0.2
        Share of the window that is forgotten when a drift is suspected.
    min_window, max_window : int, default=20, 500
        The fewest and the most rows of the window.
    max_items : int, default=200
        The most items; the one that matches the fewest rows leaves.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    ades_, pdes_, ndes_ : list of tuple
        The items that match positive rows, both, negative rows: conditions (feature, value), and
        how many (positive, negative) rows of the window they match.
    window_size_ : int
        Rows in the window.
    n_drifts_ : int
        How often a drift was suspected.
    n_rows_ : int
        Rows learned.
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

    STATE: ClassVar[dict[str, Field]] = {
        **OnlineClassifier.STATE,
        "description_": a(Description),
        "results_": list_of(flag()),
        "right_": optional(number(0, 1), needed=True),
        "n_drifts_": integer(0, 2**62),
    }
    _parameter_constraints: dict[str, list[Any]] = {
        "low_coverage": [Interval(Real, 0, None, closed="neither")],
        "high_coverage": [Interval(Real, 0, None, closed="neither")],
        "accuracy": [Interval(Real, 0, 1, closed="neither")],
        "accuracy_window": [Interval(Integral, 1, None, closed="left")],
        "forget": [Interval(Real, 0, 1, closed="neither")],
        "min_window": [Interval(Integral, 1, None, closed="left")],
        "max_window": [Interval(Integral, 1, None, closed="left")],
        "max_items": [Interval(Integral, 1, None, closed="left")],
    }
    description_: Description
    results_: list[bool]  # whether the latest answers were right
    right_: float | None  # the share of them that was, after the last row
    n_drifts_: int

    def __init__(
        self,
        *,
        low_coverage: float = 1.2,
        high_coverage: float = 4.0,
        accuracy: float = 0.7,
        accuracy_window: int = 20,
        forget: float = 0.2,
        min_window: int = 20,
        max_window: int = 500,
        max_items: int = 200,
    ):
        self.low_coverage = low_coverage
        self.high_coverage = high_coverage
        self.accuracy = accuracy
        self.accuracy_window = accuracy_window
        self.forget = forget
        self.min_window = min_window
        self.max_window = max_window
        self.max_items = max_items

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the description is of the learner's problem."""
        known = state.get("description_")
        if known is None:
            return
        if known.n_features != state["n_features_in_"]:
            raise InvalidStateError("a description of another number of features than its learner")
        if len(state["classes_"]) > 2 or known.came[len(state["classes_"]) :].any():
            raise InvalidStateError("a description of more classes than its learner")

    @property
    def ades_(self) -> list[Item]:
        """The items that match positive rows alone."""
        return [item for item in self._items() if item[1][0] and not item[1][1]]

    @property
    def pdes_(self) -> list[Item]:
        """The items that match rows of both classes."""
        return [item for item in self._items() if item[1][0] and item[1][1]]

    @property
    def ndes_(self) -> list[Item]:
        """The items that match negative rows alone."""
        return [item for item in self._items() if not item[1][0]]

    @property
    def window_size_(self) -> int:
        """Rows in the window."""
        self._check_fitted()
        return len(self.description_.rows)

    def _items(self) -> list[Item]:
        with self._locked():
            self._check_fitted()
            return self.description_.table()

    @property
    def _for_two(self) -> str:
        return type(self).__name__

    def _validate_params(self) -> None:
        super()._validate_params()
        for least, most in (("low_coverage", "high_coverage"), ("min_window", "max_window")):
            low, high = getattr(self, least), getattr(self, most)
            if low > high:
                raise ValueError(
                    f"{least} of {type(self).__name__} must not be above {most}; got {low} and "
                    f"{high}"
                )

    def _begin(self) -> None:
        super()._begin()
        self.description_ = Description(self.n_features_in_)
        self.results_ = []
        self.right_ = None
        self.n_drifts_ = 0

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        if positions[0] == 1:
            self.description_.swap()

    def _learn_one(self, X: np.ndarray, i: int, y: int, w: float) -> None:
        known = self.description_
        row = conditions_of(X[i : i + 1])
        if known.came.any():
            right = known.answers(row)[0] == y
            self.results_ = [*self.results_, right][-self.accuracy_window :]
        known.join(row[0], y)
        known.learn(row[0], y)
        trend, leaving = self._judge()
        known.forget(leaving)
        self._remember(trend)
        known.bound(self.max_items)

    def _judge(self) -> tuple[str, int]:
        """Return how the concept goes, and how many of the oldest rows are to be forgotten."""
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
            elif good and coverage > self.high_coverage:
                trend, leaving = STABLE, 2 if coverage > 2 * self.high_coverage else 1
        leaving = min(leaving, max(0, n - self.min_window))
        return trend, max(leaving, n - self.max_window)

    def _remember(self, trend: str) -> None:
        """Keep or bring back a description; FLORA2 has no memory."""

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.zeros((len(X), len(self.classes_)))
        if self.description_.came.any():
            scores[np.arange(len(X)), self.description_.answers(conditions_of(X))] = 1.0
        return scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on numbers that hardly ever come again
        return tags


class FLORA3Classifier(FLORA2Classifier):
    """FLORA3: conjunctions that describe both classes; those of stable concepts come back.

    Features are nominal: each number is a value, and values are the same or not. An *item* is a
    conjunction of conditions (feature, value). Those that match positive rows of the window alone
    are in ADES, those that match negative ones alone in NDES, the others in PDES. A row is positive
    if an item of ADES matches it. The window shrinks when the concept seems to drift, and grows
    while its description is neither good nor bad. So far this is FLORA2.

    While the description is good it is stored. When a drift is suspected, those stored are looked
    at that are right about the row in hand, and the one that is right about most rows of the
    window is brought up to date: its items are counted again, and rows that they do not cover are
    learned. It takes the place of the present description if it covers more positive rows for each
    of its conditions.

    Two classes; the second of ``classes_`` is the positive one. Row weights do not count.

    Parameters
    ----------
    low_coverage : float, default=1.2
        A drift is suspected where ADES covers fewer positive rows of the window than this for each
        of its conditions.
    high_coverage : float, default=4.0
        Above this the description is good, above twice this extremely so.
    accuracy : float, default=0.7
        What accuracy is low, and has to be exceeded by a good description.
    accuracy_window : int, default=20
        The latest answers by which accuracy is judged.
    forget : float, default=0.2
        Share of the window that is forgotten when a drift is suspected.
    min_window, max_window : int, default=20, 500
        The fewest and the most rows of the window.
    max_items : int, default=200
        The most items; the one that matches the fewest rows leaves.
    max_concepts : int, default=10
        The most descriptions stored; the oldest leaves.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    ades_, pdes_, ndes_ : list of tuple
        The items that match positive rows, both, negative rows: conditions (feature, value), and
        how many (positive, negative) rows of the window they match.
    window_size_ : int
        Rows in the window.
    n_drifts_ : int
        How often a drift was suspected.
    n_rows_ : int
        Rows learned.
    description_ : Description
        The window and the items.
    n_concepts_ : int
        Descriptions stored.
    n_returns_ : int
        How often one was brought back.
    concepts_ : list of Concept
        The descriptions stored, oldest first.

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

    STATE: ClassVar[dict[str, Field]] = {
        **FLORA2Classifier.STATE,
        "concepts_": list_of(a(Concept)),
        "n_returns_": integer(0, 2**62),
    }
    _parameter_constraints: dict[str, list[Any]] = {
        **FLORA2Classifier._parameter_constraints,
        "max_concepts": [Interval(Integral, 1, None, closed="left")],
    }
    concepts_: list[Concept]
    n_returns_: int

    def __init__(
        self,
        *,
        low_coverage: float = 1.2,
        high_coverage: float = 4.0,
        accuracy: float = 0.7,
        accuracy_window: int = 20,
        forget: float = 0.2,
        min_window: int = 20,
        max_window: int = 500,
        max_items: int = 200,
        max_concepts: int = 10,
    ):
        super().__init__(
            low_coverage=low_coverage,
            high_coverage=high_coverage,
            accuracy=accuracy,
            accuracy_window=accuracy_window,
            forget=forget,
            min_window=min_window,
            max_window=max_window,
            max_items=max_items,
        )
        self.max_concepts = max_concepts

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the concepts are of the learner's features."""
        for concept in state.get("concepts_", ()):
            if concept.n_features != state["n_features_in_"]:
                raise InvalidStateError("a concept of another number of features than its learner")

    @property
    def n_concepts_(self) -> int:
        """Descriptions stored."""
        self._check_fitted()
        return len(self.concepts_)

    def _begin(self) -> None:
        super()._begin()
        self.concepts_ = []
        self.n_returns_ = 0

    def _remember(self, trend: str) -> None:
        known = self.description_
        if trend == STABLE:
            concept = known.concept()
            if concept.positive:
                others = [each for each in self.concepts_ if each.positive != concept.positive]
                self.concepts_ = [*others, concept][-self.max_concepts :]
        elif trend == DRIFTING:
            row, y, _ = known.rows[-1]
            right = [each for each in self.concepts_ if each.says(row) == y]
            if not right:
                return
            best = max(right, key=known.n_right)
            items = known.brought_back(best)
            if known.coverage(items) > known.coverage():
                known.items = items
                self.n_returns_ += 1
                self.concepts_ = [each for each in self.concepts_ if each is not best] + [best]
