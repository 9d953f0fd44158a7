"""Winnow: weights that are doubled and halved, or forgotten, by mistakes."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import Field, InvalidStateError, floats, number
from driftlearn.linear_model._winnow_rows import winnow_rows

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
            raise InvalidStateError("weights of another number of classes than there are")
        if attributes not in (state["n_features_in_"], 2 * state["n_features_in_"]):
            raise InvalidStateError("weights of another number of attributes than there are")

    @property
    def weights_(self) -> np.ndarray:
        """The weights of each class, less those that count against it."""
        with self._locked():
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

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        """Learn rows in order, and write their scores; `w` does not count."""
        if scores is None:
            scores = np.empty((len(X), len(self.classes_)))
        self._go(X, y, scores, learning=True)
        for code in np.unique(y).tolist():
            self.committee_.observe_class(code)
        self.committee_.n_rows += len(y)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.empty((len(X), len(self.classes_)))
        self._go(X, np.zeros(0, dtype=np.int32), scores, learning=False)
        return scores

    def _go(self, X: np.ndarray, y: np.ndarray, scores: np.ndarray, learning: bool) -> None:
        on = X > 0
        if self.plus_.shape[1] > on.shape[1]:
            on = np.concatenate([on, ~on], axis=1)
        plus, minus = self.plus_, self.minus_
        if not learning:  # weights out of a memory map cannot be written to
            plus, minus = plus.copy(), minus.copy()
        winnow_rows(
            on.view(np.uint8), y.astype(np.int32), plus, minus,
            np.array(self.committee_.seen_classes, dtype=np.uint8), self.threshold_, self.promotion,
            SMALLEST, LARGEST, self.variant == "winnow1", self.variant == "balanced", scores,
            learning,
        )  # fmt: skip
