"""Winnow: a linear classifier with multiplicative updates."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import Field, InvalidStateError, floats, number
from driftlearn.linear_model._winnow_rows import winnow_rows

SMALLEST, LARGEST = 1e-75, 1e75  # bounds of nonzero weights, so that sums and ratios stay finite


@dataclass(eq=False, repr=False)
class WinnowClassifier(OnlineClassifier):
    """Winnow: linear classifier with multiplicative updates, for many irrelevant attributes.

    Each feature is converted into an attribute that is on if the feature is above 0, and a
    complement that is on otherwise. A class is predicted if the weights of the attributes that are
    on sum to more than the threshold. After a false negative these weights are multiplied by
    `promotion`; after a false positive they are divided by it, or set to 0. The number of mistakes
    grows only with the logarithm of the number of irrelevant attributes. Weights change only after
    mistakes; row weights are ignored.

    With two classes, the second class is predicted if the sum of its weights exceeds the threshold,
    otherwise the first. With more classes, the class whose sum exceeds the threshold by the largest
    factor is predicted. A class that appears later starts with the weights it would have if it had
    been declared at the beginning.

    Parameters
    ----------
    variant : {"winnow2", "winnow1", "balanced"}, default="winnow2"
        Update after a false positive: "winnow2" divides the weights; "winnow1" sets them to 0
        permanently, which suits concepts without noise and drift. "balanced" has a second set of
        weights, which count against the class and are updated in the opposite direction.
    promotion : float, default=2.0
        Factor by which weights are multiplied and divided; above 1.
    threshold : float, optional
        Threshold on the sum of weights; by default half the number of attributes.
    complements : bool, default=True
        Whether to add, for each feature, an attribute that is on if the feature is not above 0.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    weights_ : ndarray of shape (classes, attributes)
        The weights of each class: features first, then their complements.
    threshold_ : float
        The threshold in use.
    n_rows_ : int
        Number of rows trained on.

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

    variant: str = "winnow2"
    _: KW_ONLY
    promotion: float = 2.0
    threshold: float | None = None
    complements: bool = True

    STATE: ClassVar[dict[str, Field]] = {
        "plus_": floats("vectors", "attributes", least=0.0),
        "minus_": floats("vectors", "attributes", least=0.0),
        "threshold_": number(0, above=True),
    }
    _parameter_constraints = {
        "variant": [StrOptions({"winnow2", "winnow1", "balanced"})],
        "promotion": [Interval(Real, 1, LARGEST, closed="right")],
        "threshold": [Interval(Real, SMALLEST, LARGEST, closed="both"), None],
        "complements": ["boolean"],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless each class has one or two weights per feature."""
        if "plus_" not in state:
            return
        vectors, attributes = state["plus_"].shape
        if vectors != len(state["classes_"]) + 1:
            raise InvalidStateError(
                f"'plus_' must have {len(state['classes_']) + 1} rows, one more than there are "
                f"classes. Got {vectors}."
            )
        if attributes not in (state["n_features_in_"], 2 * state["n_features_in_"]):
            raise InvalidStateError(
                f"'plus_' must have one or two columns per feature. Got {attributes} columns for "
                f"{state['n_features_in_']} features."
            )

    @property
    def weights_(self) -> np.ndarray:
        """The weights for each class, minus the weights against it."""
        with self._locked():
            self._check_fitted()
            weights: np.ndarray = self.plus_[:-1] - self.minus_[:-1]
        return weights

    def _begin(self) -> None:
        super()._begin()
        n = self.n_features_in_ * (2 if self.complements else 1)
        shape, balanced = (len(self.classes_) + 1, n), self.variant == "balanced"
        # Weights of each class; the last row is for all classes not seen yet.
        self.plus_ = np.full(shape, 2.0 if balanced else 1.0)
        self.minus_ = np.full(shape, 1.0 if balanced else 0.0)
        # Littlestone (1988) bounds the number of mistakes for threshold n / 2 and factor 2.
        self.threshold_ = n / 2 if self.threshold is None else float(self.threshold)

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        vectors = np.full(len(self.classes_) + 1, -1)  # a new class starts with the last row
        vectors[positions] = np.arange(len(positions))
        self.plus_, self.minus_ = self.plus_[vectors], self.minus_[vectors]

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        """Train on rows in order and write their scores; `w` is ignored."""
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
        if not learning:  # memory-mapped weights are read-only
            plus, minus = plus.copy(), minus.copy()
        winnow_rows(
            on.view(np.uint8), y.astype(np.int32), plus, minus,
            np.array(self.committee_.seen_classes, dtype=np.uint8), self.threshold_, self.promotion,
            SMALLEST, LARGEST, self.variant == "winnow1", self.variant == "balanced", scores,
            learning,
        )  # fmt: skip
