"""Winnow: weights that are doubled and halved, or forgotten, by mistakes."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn._schema import Field, Misfit, floats, number
from driftlearn.base import OnlineClassifier

SMALLEST, LARGEST = 1e-75, 1e75  # of a weight that is not 0, so that sums and quotients are finite


class WinnowClassifier(OnlineClassifier):
    """Winnow: many attributes of which few matter; mistakes multiply the weights of those present.

    A feature is an attribute that is on where it is above 0, and its complement one that is on
    where it is not. A class is named where the weights of the attributes that are on exceed the
    threshold. If a class is missed, these weights are multiplied by `promotion`; if it is named
    wrongly, they are divided by it, or eliminated. The mistakes grow with the logarithm of the
    number of attributes that do not matter. Only mistakes teach, and row weights do not count.

    With two classes the second is named where its weights say so, and the first elsewhere. With
    more, the class wins whose weights exceed the threshold most. A class that comes late begins
    with the weights it would have if it had been known from the start.

    Parameters
    ----------
    variant : {"winnow2", "winnow1", "balanced"}, default="winnow2"
        How a wrongly named class is corrected: "winnow2" divides, "winnow1" sets weights to 0 for
        good, which is for concepts without noise and drift. "balanced" has a second set of
        weights that count against the class and move the other way.
    promotion : float, default=2.0
        What weights are multiplied and divided by; above 1.
    threshold : float, optional
        What weights have to exceed; by default half the number of attributes.
    complements : bool, default=True
        Whether there are attributes that are on where a feature is not above 0.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    weights_ : ndarray of shape (classes, attributes)
        The weights of each class: features first, then their complements.
    threshold_ : float
        What they have to exceed.
    n_rows_ : int
        Rows learned.

    References
    ----------
    .. [1] N. Littlestone, "Learning Quickly When Irrelevant Attributes Abound: A New
       Linear-Threshold Algorithm", Machine Learning 2(4), 1988, doi:10.1023/A:1022869011914.
    .. [2] A. Blum, "Empirical Support for Winnow and Weighted-Majority Algorithms: Results on a
       Calendar Scheduling Domain", Machine Learning 26(1), 1997, doi:10.1023/A:1007335615132.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(2, size=(2_000, 50))
    >>> y = X[:, 3] | X[:, 7]  # two of fifty attributes matter
    >>> model = WinnowClassifier().partial_fit(X[:1_000], y[:1_000])
    >>> model.score(X[1_000:], y[1_000:])
    1.0
    """

    STATE: ClassVar[dict[str, Field]] = {
        **OnlineClassifier.STATE,
        "plus_": floats("vectors", "attributes", least=0.0),
        "minus_": floats("vectors", "attributes", least=0.0),
        "threshold_": number(0, above=True),
    }
    _parameter_constraints: dict[str, list[Any]] = {
        "variant": [StrOptions({"winnow2", "winnow1", "balanced"})],
        "promotion": [Interval(Real, 1, LARGEST, closed="right")],
        "threshold": [Interval(Real, SMALLEST, LARGEST, closed="both"), None],
        "complements": ["boolean"],
    }
    plus_: np.ndarray  # the weights of each class and, last, of all classes that have not come
    minus_: np.ndarray
    threshold_: float

    def __init__(
        self,
        variant: str = "winnow2",
        *,
        promotion: float = 2.0,
        threshold: float | None = None,
        complements: bool = True,
    ):
        self.variant = variant
        self.promotion = promotion
        self.threshold = threshold
        self.complements = complements

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless every class has weights, one or two a feature."""
        if "plus_" not in state:
            return
        vectors, attributes = state["plus_"].shape
        if vectors != len(state["classes_"]) + 1:
            raise Misfit("weights of another number of classes than there are")
        if attributes not in (state["n_features_in_"], 2 * state["n_features_in_"]):
            raise Misfit("weights of another number of attributes than there are")

    @property
    def weights_(self) -> np.ndarray:
        """The weights of each class, less those that count against it."""
        with self._alone():
            self._check_fitted()
            weights: np.ndarray = self.plus_[:-1] - self.minus_[:-1]
        return weights

    def _begin(self) -> None:
        super()._begin()
        n = self.n_features_in_ * (2 if self.complements else 1)
        shape, balanced = (len(self.classes_) + 1, n), self.variant == "balanced"
        self.plus_ = np.full(shape, 2.0 if balanced else 1.0)
        self.minus_ = np.full(shape, 1.0 if balanced else 0.0)
        self.threshold_ = n / 2 if self.threshold is None else float(self.threshold)

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        vectors = np.full(len(self.classes_) + 1, -1)  # a new class has what the last vector has
        vectors[positions] = np.arange(len(positions))
        self.plus_, self.minus_ = self.plus_[vectors], self.minus_[vectors]

    def _learn_one(self, X: np.ndarray, i: int, y: int, w: float) -> None:
        [on] = self._on(X[i : i + 1])
        named = self._exceed(on) > 1.0
        missed = not named[y]
        named[y] = False
        if missed:
            self._move([y], on, up=True)
        if named.any():
            self._move(np.flatnonzero(named), on, up=False)

    def _move(self, vectors: Any, on: np.ndarray, up: bool) -> None:
        """Multiply the weights that are on by the promotion, or divide them."""
        here = np.ix_(vectors, on)
        for weights, grows in ((self.plus_, up), (self.minus_, not up)):
            if weights is self.minus_ and self.variant != "balanced":
                continue
            if grows:
                weights[here] = np.minimum(weights[here] * self.promotion, LARGEST)
            elif self.variant == "winnow1":
                weights[here] = 0.0
            else:
                weights[here] = np.maximum(weights[here] / self.promotion, SMALLEST)

    def _on(self, X: np.ndarray) -> np.ndarray:
        """Return which attributes of rows are on."""
        on = X > 0
        return np.concatenate([on, ~on], axis=1) if self.plus_.shape[1] > on.shape[1] else on

    def _exceed(self, on: np.ndarray) -> np.ndarray:
        """Return by what factor the weights of each class exceed the threshold on a row."""
        against = _total(on, self.minus_) if self.minus_.any() else 0.0
        exceed: np.ndarray = _total(on, self.plus_) / (self.threshold_ + against)
        return exceed

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.zeros((len(X), len(self.classes_)))
        came = np.flatnonzero(self.committee_.seen)
        for row, on in zip(scores, self._on(X)):
            row[came] = self._exceed(on)[came]
        if 0 < len(came) <= 2:
            scores[:, came[0]] = 1.0
        elif len(came):
            scores[~scores.any(axis=1), came[0]] = 1.0
        return scores


def _total(on: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the sums of the weights that are on, added up in their order."""
    totals: np.ndarray = (weights * on).cumsum(axis=1)[:, -1]
    return totals
