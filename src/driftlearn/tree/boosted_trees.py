"""Gradient-boosted trees on histograms."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base.chunk import Chunk
from driftlearn.base.nominal_features import HasNominalFeatures
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import LARGEST, Field, InvalidStateError, floats, integers
from driftlearn.tree import _boost_trees as boost_trees

EPSILON = np.finfo(float).eps  # keeps the first scores finite where weights differ extremely
HEAVY = 1e30  # largest weight: gradients are summed as 32-bit numbers, up to 3e38


@dataclass(eq=False, repr=False)
class BoostedTreesClassifier(HasNominalFeatures, StreamClassifier):
    """Gradient-boosted trees on histograms.

    Each tree is fitted to the gradients of the log loss, one per iteration for two classes and one
    per class for more. Numeric columns are cut into at most `max_bins` bins of equal frequency, and
    a tree grows by the split of largest gain of all its leaves. The results are those of
    scikit-learn's ``HistGradientBoostingClassifier``; training takes less time, most of all on
    thousands of rows. Use it on windows of rows, as the `estimator` of `RefitClassifier` or another
    chunk-based ensemble.

    Missing values (nan) are supported: a split sends them to the side of larger gain or, if no
    training value of the column was missing, to the side with more rows, right if equal. Nominal
    columns are split into two groups of categories. Categories that do not occur in the training
    rows, and the rarest beyond `max_bins`, are treated as missing.

    Parameters
    ----------
    max_iter : int, default=100
        Number of iterations.
    learning_rate : float, default=0.1
        Factor of the values of all leaves.
    max_leaf_nodes : int or None, default=31
        Maximum number of leaves of a tree. None means no limit.
    max_depth : int, optional
        Maximum depth of a tree; the root has depth 0. None means no limit.
    min_samples_leaf : int, default=20
        Minimum number of rows of a leaf, regardless of their weights.
    l2_regularization : float, default=0.0
        Added to the sum of the hessians of a leaf, by which its sum of gradients is divided.
    max_bins : int, default=255
        Maximum number of bins of a column, between 2 and 255, without that of missing values.
    max_features : float, default=1.0
        Share of the columns that are drawn for each split.
    nominal_features : array-like, optional
        Indices, or a boolean mask, of columns with category codes: integers from 0 to 65535.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied. A dict maps labels to weights; other
        classes have weight 1. "balanced" uses n / (k * rows of the class), with the n rows and k
        classes of the call.
    random_state : int, RandomState or Generator, optional
        Seed of the draws of columns.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    present_ : ndarray
        Positions in `classes_` of the classes of the training rows.
    baseline_ : ndarray of shape (n_scores,)
        Scores before the first tree: the log-odds of the second class for two classes, one score
        per class for more, none for one.
    edges_, first_ : ndarray
        Upper edges of the bins of numeric columns and codes of nominal ones; those of column f are
        ``edges_[first_[f]:first_[f + 1]]``.
    nominal_ : ndarray of shape (n_features,)
        1 for nominal columns.
    root_ : ndarray of shape (n_trees,)
        The root of each tree, coded as in `child_`. Tree t belongs to score ``t % n_scores``.
    feature_, child_, bins_ : ndarray of shape (n_splits,), (n_splits, 2) and (n_splits, 8)
        Column, left and right child, and 256 bits that state which bins go left. A child c >= 0 is
        a split, a negative one the leaf ``~c``.
    value_ : ndarray of shape (n_leaves,)
        Values of the leaves.

    References
    ----------
    .. [1] J. Friedman, "Greedy Function Approximation: A Gradient Boosting Machine", Annals of
       Statistics 29(5), 2001, doi:10.1214/aos/1013203451.
    .. [2] G. Ke et al., "LightGBM: A Highly Efficient Gradient Boosting Decision Tree", NIPS 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoostedTreesClassifier().fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    max_iter: int = 100
    learning_rate: float = 0.1
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    min_samples_leaf: int = 20
    l2_regularization: float = 0.0
    max_bins: int = 255
    max_features: float = 1.0
    _: KW_ONLY
    nominal_features: Any = None
    class_weight: Any = None
    random_state: Any = None

    STATE: ClassVar[dict[str, Field]] = {
        "present_": integers("present", least=0, below="classes"),
        "baseline_": floats("scores"),
        "edges_": floats("edges"),
        "first_": integers("bounds", least=0),
        "nominal_": integers("n_features_in_", least=0, below=2),
        "root_": integers("trees"),
        "feature_": integers("splits", least=0, below="n_features_in_"),
        "child_": integers("splits", 2),
        "bins_": integers("splits", 8, least=0),
        "value_": floats("leaves"),
    }
    _incremental = False
    _parameter_constraints = {
        "max_iter": [Interval(Integral, 1, LARGEST, closed="both")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_leaf_nodes": [Interval(Integral, 2, LARGEST, closed="both"), None],
        "max_depth": [Interval(Integral, 1, LARGEST, closed="both"), None],
        "min_samples_leaf": [Interval(Integral, 1, LARGEST, closed="both")],
        "l2_regularization": [Interval(Real, 0, None, closed="left")],
        "max_bins": [Interval(Integral, 2, 255, closed="both")],
        "max_features": [Interval(Real, 0, 1, closed="right")],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless columns, trees and scores of a fitted model are consistent."""
        if "classes_" not in state:
            return
        first, n_splits, n_leaves = state["first_"], len(state["feature_"]), len(state["value_"])
        if (
            len(first) != state["n_features_in_"] + 1 or first[0] != 0
            or (np.diff(first) < 0).any() or first[-1] != len(state["edges_"])
        ):  # fmt: skip
            raise InvalidStateError("'first_' does not divide 'edges_' into columns")
        n_classes, n_scores = len(state["present_"]), len(state["baseline_"])
        if n_scores != (n_classes if n_classes > 2 else n_classes - 1):
            raise InvalidStateError(
                f"'baseline_' has {n_scores} scores, but there are {n_classes} classes"
            )
        for parents, nodes in (
            (np.full(len(state["root_"]), -1), state["root_"]),
            (np.repeat(np.arange(n_splits), 2), state["child_"].ravel()),
        ):
            leaf = nodes < 0
            if (nodes[leaf] < -n_leaves).any() or ((nodes <= parents) | (nodes >= n_splits))[
                ~leaf
            ].any():
                raise InvalidStateError("a tree node has an invalid child position")

    def _takes_missing(self) -> bool:
        return True

    def _learn(self, chunk: Chunk) -> None:
        X, w = chunk.X, chunk.w
        if w.max() > HEAVY:
            w = w * (HEAVY / w.max())
        self.present_ = chunk.present
        self.nominal_ = self._nominal(X.shape[1]).astype(np.uint8)
        weights = None if chunk.even else w
        edges = [
            _codes(column, self.max_bins) if nominal else _edges(column, weights, self.max_bins)
            for column, nominal in zip(X.T.copy(), self.nominal_)
        ]
        self.first_ = np.cumsum([0, *map(len, edges)]).astype(np.int32)
        self.edges_ = np.concatenate(edges)
        y = np.searchsorted(self.present_, chunk.y)
        share = np.array([np.average(y == code, weights=w) for code in range(len(self.present_))])
        share = np.clip(share, EPSILON, 1 - EPSILON)
        if len(share) > 2:
            self.baseline_ = np.log(share) - np.log(share).mean()
        else:
            self.baseline_ = np.log(share[1:] / (1 - share[1:]))
        bins = boost_trees.bin_rows(X, *self._columns())
        self.root_, self.feature_, self.child_, self.bins_, self.value_ = self._boost(bins, y, w)

    def _boost(self, bins: np.ndarray, y: np.ndarray, w: np.ndarray) -> list[np.ndarray]:
        """Return the arrays of all trees."""
        (n, d), k = bins.shape, len(self.baseline_)
        leaves = max(1, n // self.min_samples_leaf)
        leaves = min(leaves, self.max_leaf_nodes or leaves)
        depth = -1 if self.max_depth is None else self.max_depth
        n_bins = np.diff(self.first_) + 1 - self.nominal_
        grower = boost_trees.TreeGrower(
            bins, n_bins.astype(np.int32), self.nominal_, leaves, depth, self.min_samples_leaf,
            self.l2_regularization,
        )  # fmt: skip
        raw = np.repeat(self.baseline_[:, None], n, axis=1)
        slopes = np.empty((k, n), dtype=np.complex64)
        allowed = np.ones((2 * leaves - 1, d), dtype=np.uint8)
        n_drawn = int(np.ceil(self.max_features * d))
        for _ in range(self.max_iter if k > 0 else 0):
            boost_trees.gradients(raw, y, w, slopes)
            n_splits = 0
            for each, scores in zip(slopes, raw):
                if n_drawn < d:
                    u = self.rng_.random(allowed.shape)
                    allowed = (u <= np.sort(u, axis=1)[:, n_drawn - 1 : n_drawn]).astype(np.uint8)
                n_splits += grower.grow(each, allowed, self.learning_rate, scores)
            if n_splits == 0 and n_drawn == d:  # the scores have not changed and never will
                break
        return grower.forest()

    @property
    def n_iter_(self) -> int:
        """Number of iterations; training stops as soon as no tree can be split."""
        return len(self.root_) // max(1, len(self.baseline_))

    def _columns(self) -> tuple[np.ndarray, ...]:
        return self.edges_, self.first_, self.nominal_

    def _scores(self, X: np.ndarray) -> np.ndarray:
        probas = np.zeros((len(X), len(self.classes_)))
        if len(self.present_) == 1:
            probas[:, self.present_] = 1.0
            return probas
        raw = np.repeat(self.baseline_[:, None], len(X), axis=1)
        trees = self.root_, self.feature_, self.child_, self.bins_, self.value_
        boost_trees.add_trees(trees, boost_trees.bin_rows(X, *self._columns()), raw)
        probas[:, self.present_] = boost_trees.probabilities(raw)
        return probas


def _codes(column: np.ndarray, max_bins: int) -> np.ndarray:
    """Return the most frequent codes of a nominal column, ascending."""
    codes, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return np.sort(codes[np.argsort(-counts, kind="stable")[:max_bins]])


def _edges(column: np.ndarray, w: np.ndarray | None, max_bins: int) -> np.ndarray:
    """Return the upper edges of all bins of a numeric column but the last."""
    present = ~np.isnan(column)
    values = column[present]
    order = None if w is None else np.argsort(values, kind="stable")
    values = np.sort(values) if order is None else values[order]
    distinct = values[:1] if len(values) == 0 else values[np.r_[True, values[1:] > values[:-1]]]
    if len(distinct) <= max_bins:
        return (distinct[1:] + distinct[:-1]) / 2
    shares = np.linspace(0, 100, max_bins + 1)[1:-1]
    if w is None:
        places = np.percentile(np.arange(len(values)), shares, method="averaged_inverted_cdf")
        low, high = np.floor(places).astype(int), np.ceil(places).astype(int)
    else:
        below = np.cumsum(w[present][order])
        targets = shares / 100 * below[-1]
        low = np.minimum(np.searchsorted(below, targets), len(values) - 1)
        between = below[low] - targets <= EPSILON
        high = np.minimum(low + between, len(values) - 1)
    return np.unique((values[low] + values[high]) / 2)
