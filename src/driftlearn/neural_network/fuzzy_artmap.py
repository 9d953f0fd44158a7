"""Fuzzy ARTMAP classifier."""

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base._probabilities import normalize
from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io import schema
from driftlearn.neural_network import _artmap_categories as artmap_categories
from driftlearn.utils.arguments import invalid
from driftlearn.utils.ranges import divisors

MOST_ROWS = 2**62  # no stream is longer


@dataclass(eq=False, repr=False)
class FuzzyARTMAPClassifier(StreamClassifier):
    """Fuzzy ARTMAP classifier: hyperrectangles that expand to contain rows of their class.

    Each category is a box in the unit cube and belongs to a class. A row is assigned to the nearest
    box that would not become too large (vigilance). If the box has the row's class, it expands to
    contain the row; otherwise the search continues with a higher vigilance (match tracking). If no
    box is left, the row becomes a new box. New classes may appear at any time and do not affect
    other classes, since boxes expand but never move. This is a weakness under drift: no box is
    dropped until there are `max_categories` boxes, so outdated and noisy boxes remain.

    Paper settings: `FuzzyARTMAPClassifier.as_published()` has ``vigilance=0.75``,
    ``max_categories=None``, ``smoothing=0.0``.

    Parameters
    ----------
    choice : float, default=1e-3
        The choice parameter, alpha: small values prefer the smaller of two boxes that contain a
        row.
    learning_rate : float, default=1.0
        Beta. With 1 (fast learning) a box expands to contain a row at once; with smaller values it
        expands by this fraction.
    vigilance : float, default=0.9
        The baseline, rho: a box over `d` features may grow to a total side length of ``d * (1 -
        vigilance)``. Larger values create more and smaller boxes.
    match_increment : float, default=1e-3
        Match tracking raises the vigilance to the match of the wrong box plus this value. With a
        positive value, each repetition of equal rows with two classes creates another box; a small
        negative value finds the existing box (MT- [2]_).
    bounds : pair of array-like, optional
        Minimum and maximum of the features: two numbers, or two arrays with one number per feature.
        Values outside are clipped. By default the bounds of the first data set are used, which
        should therefore be representative.
    epochs : int, default=1
        Number of times that the rows of a data set are presented.
    shuffle : bool, default=True
        Present the rows in random order. The result depends on the order.
    max_categories : int or None, default=200
        Maximum number of boxes. If it is reached, a new box replaces the least recently updated
        box; a class that has lost all its boxes stays in `classes_`. None means no limit.
    smoothing : float, default=1.0
        Votes shared equally by all classes, next to the one vote of the nearest box; with 0,
        probabilities are 0 or 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the presentation order, and of the sample if there are row weights.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied: a dict from label to weight (1 for
        labels not listed), or "balanced": n / (k * rows of the class), for the n rows and k classes
        of a call.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    weights_ : ndarray of shape (n_categories, 2 * n_features)
        The boxes, over features scaled to [0, 1]: lower corner, then one minus the upper corner.
    category_labels_ : ndarray of shape (n_categories,)
        The label of each box.
    n_categories_, size_ : int
        Number of boxes.
    last_learned_ : ndarray of shape (n_categories,)
        The presentation at which each box was last updated or created.
    n_presented_ : int
        Number of presentations so far: number of rows times `epochs`.
    bounds_ : ndarray of shape (2, n_features)
        The bounds in use.

    Notes
    -----
    Fuzzy ARTMAP does not support row weights. Rows of weight zero are ignored. If the other weights
    are not all equal, the model is trained on a sample of the same size, drawn with replacement
    with probabilities proportional to the weights and with at least one row of each class.

    A prediction is the label of the nearest box; the box does not count its rows, so
    `predict_proba` has only two values.

    References
    ----------
    .. [1] G. A. Carpenter, S. Grossberg, N. Markuzon, J. H. Reynolds, D. B. Rosen, "Fuzzy ARTMAP:
       A Neural Network Architecture for Incremental Supervised Learning of Analog
       Multidimensional Maps", IEEE Trans. Neural Networks 3(5), 1992.
    .. [2] G. A. Carpenter, N. Markuzon, "ARTMAP-IC and Medical Diagnosis: Instance Counting and
       Inconsistent Cases", Neural Networks 11(2), 1998.

    Examples
    --------
    The third class of iris arrives after training on the other two:

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FuzzyARTMAPClassifier(bounds=(X.min(axis=0), X.max(axis=0)), random_state=0)
    >>> model.partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:]).score(X, y)
    1.0
    >>> model.n_categories_
    43
    """

    choice: float = 1e-3
    learning_rate: float = 1.0
    vigilance: float = 0.9
    match_increment: float = 1e-3
    bounds: Any = None
    epochs: int = 1
    shuffle: bool = True
    max_categories: int | None = 200
    smoothing: float = field(default=1.0, kw_only=True)
    class_weight: Any = field(default=None, kw_only=True)
    random_state: Any = None

    PUBLISHED = {"vigilance": 0.75, "max_categories": None, "smoothing": 0.0}
    STATE: ClassVar[dict[str, schema.Field]] = {
        "weights_": schema.floats("boxes", "coded"),
        "category_codes_": schema.integers("boxes", least=0, below="classes"),
        "bounds_": schema.optional(schema.floats(2, "n_features_in_")),
        "last_learned_": schema.newer(schema.integers("boxes", least=0)),
        "n_presented_": schema.newer(schema.integer(0, MOST_ROWS)),
    }
    _parameter_constraints = {
        "choice": [Interval(Real, 0, None, closed="neither")],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
        "vigilance": [Interval(Real, 0, 1, closed="both")],
        "match_increment": [Interval(Real, -1, 1, closed="both")],
        "bounds": ["array-like", None],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "max_categories": [Interval(Integral, 1, None, closed="left"), None],
        "smoothing": [Interval(Real, 0, schema.LARGEST, closed="both")],
        "random_state": ["random_state", np.random.Generator],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the boxes match the features and their bounds are present."""
        if "weights_" in state and state["weights_"].shape[1] != 2 * state["n_features_in_"]:
            raise schema.InvalidStateError(
                f"'weights_' must have {2 * state['n_features_in_']} columns, two per feature. Got "
                f"{state['weights_'].shape[1]}."
            )
        if len(state.get("weights_", ())) and state.get("bounds_") is None:
            raise schema.InvalidStateError(
                "'bounds_' of FuzzyARTMAPClassifier is missing, but the model has boxes."
            )

    @property
    def n_categories_(self) -> int:
        """Number of boxes."""
        return len(self.weights_)

    size_ = n_categories_

    @property
    def category_labels_(self) -> np.ndarray:
        """The label of each box."""
        return self.classes_[self.category_codes_]

    def _begin(self) -> None:
        self.weights_ = np.empty((0, 2 * self.n_features_in_))
        self.category_codes_ = np.empty(0, dtype=np.intp)
        self.last_learned_ = np.empty(0, dtype=np.int64)
        self.n_presented_ = 0
        if self.bounds is not None:
            self.bounds_ = checked_bounds(self.bounds, self.n_features_in_)

    def _widen(self, positions: np.ndarray) -> None:
        self.category_codes_ = positions[self.category_codes_]

    def _learn(self, chunk: Chunk) -> None:
        if not hasattr(self, "bounds_"):
            self.bounds_ = np.array([chunk.X.min(axis=0), chunk.X.max(axis=0)])
        if not chunk.even:
            chunk = chunk.drawn(chunk.w, self.rng_)
        rows = np.arange(len(chunk))
        epochs = [self.rng_.permutation(rows) if self.shuffle else rows for _ in range(self.epochs)]
        self._present(chunk, np.concatenate(epochs))

    def _test_then_learn(self, chunk: Chunk, probas: np.ndarray) -> None:
        rows = np.arange(len(chunk))
        predicted = np.empty(len(chunk), dtype=np.intp)
        if not hasattr(self, "bounds_"):
            # In row-by-row training, the first row is the first data set, so its values are the
            # bounds.
            self.bounds_ = np.repeat(chunk.X[:1], 2, axis=0)
        self._present(chunk, np.repeat(rows, self.epochs), predicted)
        probas[:] = self.smoothing / len(self.classes_)
        probas[rows[predicted >= 0], predicted[predicted >= 0]] += 1.0
        probas[:] = normalize(probas)

    def _present(
        self, chunk: Chunk, order: np.ndarray, predicted: np.ndarray | None = None
    ) -> None:
        """Present rows in this order; write the prior prediction for each row to `predicted`."""
        # the state was saved by an older version
        if not {"last_learned_", "n_presented_"} <= vars(self).keys():
            self.n_presented_ = len(self.weights_)
            self.last_learned_ = np.arange(1, self.n_presented_ + 1, dtype=np.int64)
        self.weights_, self.category_codes_, self.last_learned_ = artmap_categories.learn(
            self.weights_, self.category_codes_, self.last_learned_, self._coded(chunk.X), chunk.y,
            order, self.choice, self.learning_rate, self.vigilance,
            self.match_increment, self.n_presented_, self.max_categories, predicted,
        )  # fmt: skip
        self.n_presented_ += len(order)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.full((len(X), len(self.classes_)), self.smoothing / len(self.classes_))
        if len(self.weights_):
            nearest = artmap_categories.choose(self.weights_, self._coded(X), self.choice)
            scores[np.arange(len(X)), self.category_codes_[nearest]] += 1.0
        return scores

    def _coded(self, X: np.ndarray) -> np.ndarray:
        """Return the complement code: the rows scaled to [0, 1], followed by one minus them."""
        low, high = self.bounds_
        unit = np.clip((X - low) / divisors(high - low), 0.0, 1.0)
        return np.hstack([unit, 1.0 - unit])


def checked_bounds(bounds: Any, n_features: int) -> np.ndarray:
    """Return the bounds as an array of shape (2, n_features); raise ValueError if invalid.

    Examples
    --------
    >>> checked_bounds((0, [1, 2]), 2)
    array([[0., 0.],
           [1., 2.]])
    """
    try:
        low, high = bounds
        pair = np.empty((2, n_features))
        pair[0], pair[1] = low, high
    except (TypeError, ValueError):
        wanted = f"two numbers, or two lists of {n_features} numbers"
        raise invalid("bounds", wanted, bounds) from None
    if not (np.isfinite(pair).all() and (pair[0] <= pair[1]).all()):
        raise invalid("bounds", "finite, with low <= high", bounds)
    return pair
