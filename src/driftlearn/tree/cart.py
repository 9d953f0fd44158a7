"""CART classifier with transfer to new data."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import groupby
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base._probabilities import normalize_rows
from driftlearn.base.chunk import Chunk
from driftlearn.base.nominal_features import HasNominalFeatures
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.threads import in_parts
from driftlearn.io._node_checks import check_nodes
from driftlearn.io.schema import LARGEST, Field, InvalidStateError, floats, integers, newer
from driftlearn.tree import _grow_tree as grow_tree
from driftlearn.tree import _packed_trees as packed_trees
from driftlearn.utils._class_axis import widened


@dataclass(eq=False, repr=False)
class CARTClassifier(HasNominalFeatures, StreamClassifier):
    """CART classification tree that can be transferred to new data.

    The tree uses binary splits by the Gini index and predicts smoothed class frequencies of its
    leaves; it is not pruned. It is stored in flat arrays and grown by compiled code that sorts each
    feature once. Use it as the base learner of chunk-based ensembles; `transfer` is the adaptation
    step of DTEL.

    Missing values (nan) are supported, as in scikit-learn's trees. If a feature has missing values
    in a node, each threshold is tried with these rows on the left and on the right, and finally one
    more split with threshold inf: present values left, missing ones right. If both sides have the
    same gain, missing values go to the side with more weight, left if equal. If no training value
    of the node was missing, the split sends missing values to the child with more weight, left if
    equal.

    Paper settings: `CARTClassifier.as_published()` has ``smoothing=0.0``.

    Parameters
    ----------
    min_samples_split : int, default=10
        A node with fewer rows becomes a leaf. The default of 10 suits the DTEL experiments: with 2,
        all leaves are pure and the tree overfits label noise.
    min_samples_leaf : int, default=1
        Minimum number of rows on each side of a split.
    max_depth : int, optional
        Maximum depth; the root has depth 0. None means no limit.
    smoothing : float, default=1.0
        Weight that is added to each leaf, divided equally among the classes, so that no class has
        probability 0: a leaf with the class weights ``n_c`` predicts
        ``(n_c + smoothing / K) / (n + smoothing)``. The predicted labels do not depend on it. With
        0, as in [1]_, these are the class frequencies.
    nominal_features : array-like, optional
        Columns (positions or a mask) whose values are category codes 0, 1, .... A split divides the
        codes into two groups. With two classes it is the best of all such divisions; with more, it
        separates one code from the others. Codes without training rows in the node are treated as
        missing.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied. A dict maps labels to weights; other
        classes have weight 1. "balanced" uses n / (k * rows of the class), with the n rows and k
        classes of the call.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    feature_, threshold_, left_, right_ : ndarray of shape (n_nodes,)
        Nodes: rows with ``x[feature] <= threshold`` go left, unless the feature is nominal; a leaf
        has feature -1.
    missing_left_ : ndarray of shape (n_nodes,)
        1 for nodes that send missing values left.
    group_, sets_ : ndarray of shape (n_nodes,) and (n_nominal_splits, n_codes)
        Only with `nominal_features`: for each node, the row of `sets_` that describes its nominal
        split, or -1; the sides of all codes, 1 for left, 2 for right, 0 for unknown codes.
    value_ : ndarray of shape (n_nodes, n_classes)
        Weighted class counts of the training rows at each node.
    size_ : int
        Number of nodes.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and Regression Trees",
       Wadsworth, 1984.
    .. [2] Y. Sun, K. Tang, Z. Zhu, X. Yao, "Concept Drift Adaptation by Exploiting Historical
       Knowledge", IEEE Trans. Neural Networks and Learning Systems 29(10), 2018 (the transfer).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> CARTClassifier().fit(X, y).score(X, y)
    0.98
    """

    min_samples_split: int = 10
    min_samples_leaf: int = 1
    max_depth: int | None = None
    _: KW_ONLY
    smoothing: float = 1.0
    nominal_features: Any = None
    class_weight: Any = None

    PUBLISHED: ClassVar[dict[str, Any]] = {"smoothing": 0.0}
    STATE: ClassVar[dict[str, Field]] = {
        "feature_": integers("nodes", least=-1),
        "threshold_": floats("nodes", finite=False),
        "left_": integers("nodes"),
        "right_": integers("nodes"),
        "value_": floats("nodes", "classes"),
        "missing_left_": newer(integers("nodes", least=0, below=2)),
        "group_": newer(integers("nodes", least=-1)),
        "sets_": newer(integers("sets", "codes", least=0, below=3)),
    }
    _incremental = False
    _parameter_constraints = {
        "min_samples_split": [Interval(Integral, 2, LARGEST, closed="both")],
        "min_samples_leaf": [Interval(Integral, 1, LARGEST, closed="both")],
        "max_depth": [Interval(Integral, 0, LARGEST, closed="both"), None],
        "smoothing": [Interval(Real, 0, LARGEST, closed="both")],
    }

    def transfer(self, X: Any, y: Any, sample_weight: Any = None) -> CARTClassifier:
        """Return a copy of this tree adapted to new rows; the tree itself is not modified.

        The rows are passed down the tree. A leaf that rows reach takes their class counts and, if
        it is impure and large enough, grows a subtree on them. Leaves that no row reaches keep
        their class counts, and existing splits keep the side to which they send missing values.

        Parameters
        ----------
        X, y, sample_weight
            The new rows, as in `fit`.

        Returns
        -------
        CARTClassifier

        Examples
        --------
        >>> old = CARTClassifier(min_samples_split=2).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
        >>> new = old.transfer([[0], [1]], [1, 1])
        >>> old.predict([[0], [3]]), new.predict([[0], [3]])
        (array([0, 1]), array([1, 1]))
        """
        self._check_fitted()
        draft = self._draft(start=False)
        chunk = draft._validated(X, y, None, sample_weight, start=False)
        return draft._transferred(chunk) if len(chunk) else draft

    def _learn(self, chunk: Chunk) -> None:
        grown = grow_tree.grow(
            chunk.X, chunk.order, chunk.y, chunk.w, len(self.classes_), *self._limits(),
            self._nominal(chunk.X.shape[1]),
        )  # fmt: skip
        self._set(grown)

    def _transferred(self, chunk: Chunk) -> CARTClassifier:
        """Return the copy adapted to a chunk that the caller has validated."""
        return self._transferred_all([self], chunk)[0]

    @staticmethod
    def _transferred_all(models: list[CARTClassifier], chunk: Chunk) -> list[CARTClassifier]:
        """Return adapted copies of several trees; trees with equal settings share one call."""
        copies = [model._draft(start=False) for model in models]
        for copy in copies:
            copy._meet(chunk.occurring)
        for _, alike in groupby(copies, CARTClassifier._setting):
            some = list(alike)
            rows = some[0]._weighed(chunk.with_classes(some[0].classes_))
            trees = grow_tree.transfer_all(
                [copy._arrays(chunk.X.shape[1]) for copy in some], rows.X, rows.order, rows.y,
                rows.w, len(some[0].classes_), *some[0]._limits(),
                some[0]._nominal(chunk.X.shape[1]),
            )  # fmt: skip
            for copy, grown in zip(some, trees):
                copy._set(grown)
        return copies

    def _setting(self) -> tuple[Any, ...]:
        """Return the settings that trees adapted in one call must have in common."""
        nominal = self.nominal_features is not None and self._nominal(self.n_features_in_).tolist()
        settings = self.classes_.dtype, self.classes_.tolist(), self._limits(), self.class_weight
        return *settings, nominal

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a state; without `missing_left_`, missing values go to heavier children."""
        super().__setstate__(state)
        if "value_" in state and "missing_left_" not in state:
            weight = self.value_.sum(axis=1)
            heavier = weight[self.left_] >= weight[self.right_]
            self.missing_left_ = np.where(self.feature_ >= 0, heavier, 0).astype(np.uint8)

    def _widen(self, positions: np.ndarray) -> None:
        self.value_: np.ndarray = widened(self.value_, positions, len(self.classes_), axis=1)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        leaf = packed_trees.apply(self._arrays(X.shape[1]), X)
        return normalize_rows(self._smoothed())[0][leaf]

    def _smoothed(self) -> np.ndarray:
        """Return the class weights of all nodes, from which probabilities are computed."""
        return self.value_ + self.smoothing / len(self.classes_)

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the nodes of a fitted tree form a tree."""
        if "feature_" in state:
            feature, children = state["feature_"], (state["left_"], state["right_"])
            check_nodes(feature >= 0, children, feature, state["n_features_in_"])
        if "group_" in state and state["group_"].max(initial=-1) >= len(state.get("sets_", ())):
            raise InvalidStateError("a nominal split of a tree has no sides")

    def _takes_missing(self) -> bool:
        return True

    def _limits(self) -> tuple[int, int, int]:
        depth = -1 if self.max_depth is None else self.max_depth
        return self.min_samples_split, self.min_samples_leaf, depth

    def _arrays(self, n_features: int) -> tuple[np.ndarray, ...]:
        """Return the arrays of the tree; raise ValueError if the number of features differs."""
        if n_features != self.n_features_in_:
            raise ValueError(
                f"X has {n_features} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        nodes = self.feature_, self.threshold_, self.left_, self.right_
        sides = (self.group_, self.sets_) if hasattr(self, "group_") else ()
        return *nodes, self.value_, self.missing_left_, *sides

    def _voting_arrays(self, n_features: int) -> tuple[np.ndarray, ...]:
        """Return the arrays of the tree with smoothed class weights, for predictions."""
        arrays = self._arrays(n_features)
        return *arrays[:4], self._smoothed(), *arrays[5:]

    def _set(self, arrays: tuple[np.ndarray, ...]) -> None:
        self.feature_, self.threshold_, self.left_, self.right_ = arrays[:4]
        self.value_, self.missing_left_ = arrays[4:6]
        if len(arrays) > 6:
            self.group_, self.sets_ = arrays[6:]
        self.size_ = len(self.feature_)

    @staticmethod
    def _pack(models: list[CARTClassifier], columns: list[np.ndarray]) -> PackedTrees:
        return PackedTrees(models, columns)


class PackedTrees(packed_trees.Forest):
    """Trees of an ensemble packed into one set of arrays, evaluated in one call."""

    def __init__(self, models: list[CARTClassifier], columns: list[np.ndarray]):
        self.n_features = models[0].n_features_in_
        super().__init__([each._voting_arrays(self.n_features) for each in models], columns)

    def append(self, model: CARTClassifier, columns: np.ndarray) -> None:
        """Add a tree; `columns` are the positions of its classes among those of the ensemble."""
        super().append(model._voting_arrays(self.n_features), columns)

    def draft(self) -> PackedTrees:
        """Return a copy to which trees can be added; it shares the existing arrays."""
        copy = object.__new__(PackedTrees)
        copy.__dict__ = {**self.__dict__, "parts": dict(self.parts)}
        return copy

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """Return the leaf of each row in each tree."""
        self._check_features(X)
        leaves = np.empty((len(self), len(X)), dtype=np.int32)
        in_parts(len(self), leaves.size, partial(packed_trees.forest_leaves, self, X, leaves))
        return leaves

    def labels(self, leaves: np.ndarray) -> np.ndarray:
        """Return the class code predicted by each tree for each row, given its leaf."""
        return packed_trees.forest_labels(self, leaves)

    def probas(self, leaves: np.ndarray, n_classes: int) -> np.ndarray:
        """Return the class frequencies predicted by each tree for each row, given its leaf."""
        shares = np.empty((*leaves.shape, n_classes))
        work = partial(packed_trees.forest_probas, self, leaves, n_classes, shares)
        in_parts(len(self), leaves.size, work)
        return shares

    def _check_features(self, X: np.ndarray) -> None:
        if X.shape[1] != self.n_features:
            raise ValueError(
                f"X has {X.shape[1]} features, but the trees are expecting {self.n_features} "
                "features as input."
            )
