"""Stationary generators: random tree and waveform."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from driftlearn.streams._generated import Generator
from driftlearn.streams._stream import MODEL
from driftlearn.utils.arguments import Floats, Ints, Labels, Rows, check_positive


@dataclass(repr=False, eq=False)
class RandomTree(Generator):
    """Random tree generator: labels from a random decision tree.

    Numeric features are uniform in [0, 1); nominal features are codes from 0, equally frequent. An
    inner node tests a random feature. A nominal feature has one branch per value and is tested at
    most once on a path. A numeric feature is split at a point that is uniform in the remaining
    range. From depth `first_leaf` on, a node is a leaf with probability `leaf_share`, and always at
    depth `max_depth`; the root has depth 0. The class of a leaf is random.

    Parameters
    ----------
    n_classes : int, default=2
        Number of classes.
    n_numeric, n_nominal : int, default=5, 5
        Numbers of numeric and of nominal features; numeric ones come first.
    n_values : int, default=5
        Number of values of a nominal feature.
    max_depth : int, default=5
        Depth at which every node is a leaf.
    first_leaf : int, default=3
        Minimum depth of a leaf.
    leaf_share : float, default=0.15
        Probability that a node between these depths is a leaf.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed of the tree and of the rows; None draws a random seed once, at construction.

    References
    ----------
    .. [1] P. Domingos and G. Hulten, "Mining high-speed data streams", KDD 2000.

    Examples
    --------
    >>> from driftlearn.streams import RandomTree
    >>> stream = RandomTree(n_classes=3, random_state=0)
    >>> X, y = stream.take(1_000)
    >>> bool((stream.label(X) == y).all()), [int((y == k).sum()) for k in stream.classes]
    (True, [208, 350, 442])
    """

    name = "random-tree"
    _positive = ("n_classes", "n_values", "max_depth", "first_leaf")
    _ranges = {"leaf_share": "[0, 1]"}
    n_classes: int = 2
    n_numeric: int = 5
    n_nominal: int = 5
    n_values: int = 5
    max_depth: int = 5
    first_leaf: int = 3
    leaf_share: float = 0.15
    n_rows: int | None = 1_000_000
    chunk_size: int = 1_000
    random_state: int | None = None

    def __post_init__(self) -> None:
        for name in ("n_numeric", "n_nominal"):
            if getattr(self, name) != 0:
                check_positive(name, getattr(self, name))
        self._columns = [f"numeric{j + 1}" for j in range(self.n_numeric)]
        self._columns += [f"nominal{j + 1}" for j in range(self.n_nominal)]
        self.n_features = len(self._columns)
        super().__post_init__()
        if not self.n_numeric and self.n_nominal < self.max_depth:
            raise ValueError(
                f"Without numeric features, 'n_nominal' must be at least max_depth={self.max_depth}"
                f". Got n_nominal={self.n_nominal}."
            )

    def label(self, X: Floats) -> Labels:
        """Return the class of each row."""
        feature, point, first_child, leaf_class = self._tree
        node = np.zeros(len(X), dtype=np.int64)
        every = np.arange(len(X))
        for _ in range(self.max_depth):
            value = X[every, feature[node]]
            branch = np.where(np.isnan(point[node]), value, value >= point[node])
            inner = first_child[node] > 0
            node = np.where(inner, first_child[node] + branch.astype(np.int64), node)
        return leaf_class[node]

    @cached_property
    def _tree(self) -> tuple[Ints, Floats, Ints, Ints]:
        """Feature, split point (NaN if nominal), first child (0 for a leaf) and class of each node.

        The children of a node are consecutive; for a numeric feature the lower part is first.
        """
        rng = self._rng(MODEL)
        nodes: list[list[Any]] = [[0, np.nan, 0, 0]]
        level = [(0, np.tile([0.0, 1.0], (self.n_numeric, 1)), list(range(self.n_nominal)))]
        for depth in range(self.max_depth + 1):
            below = []
            for node, ranges, nominal in level:
                nodes[node][3] = int(rng.integers(self.n_classes))
                leaf = depth >= self.first_leaf and rng.random() < self.leaf_share
                if leaf or depth == self.max_depth:
                    continue
                nodes[node][2] = len(nodes)
                chosen = int(rng.integers(self.n_numeric + len(nominal)))
                numeric = chosen < self.n_numeric
                if numeric:
                    low, high = ranges[chosen]
                    nodes[node][:2] = chosen, rng.uniform(low, high)
                else:
                    used = nominal[chosen - self.n_numeric]
                    nodes[node][0] = self.n_numeric + used
                for k in range(2 if numeric else self.n_values):
                    part, rest = ranges.copy(), nominal
                    if numeric:
                        part[chosen, 1 - k] = nodes[node][1]
                    else:
                        rest = [j for j in nominal if j != used]
                    below.append((len(nodes), part, rest))
                    nodes.append([0, np.nan, 0, 0])
            level = below
        feature, point, child, label = map(np.array, zip(*nodes))
        return feature, point, child, label

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.random((len(rows), self.n_features))
        X[:, self.n_numeric :] = np.floor(X[:, self.n_numeric :] * self.n_values)
        return X, self.label(X)


N_POINTS, N_NOISE = 21, 19
# The three triangular base waves, one per row, and the two waves combined in each class.
WAVES = np.maximum(6.0 - np.abs(np.arange(1, N_POINTS + 1) - np.array([[11], [15], [7]])), 0.0)
PAIRS = np.array([(0, 1), (0, 2), (1, 2)])


@dataclass(repr=False, eq=False)
class Waveform(Generator):
    """Waveform generator: three classes of noisy mixtures of triangular waves.

    The three triangles over the points 1 to 21 have height 6 at the points 11, 15 and 7, and
    decrease by 1 per point. A row is ``u h + (1 - u) g`` with ``u ~ U[0, 1]``, plus N(0, 1) noise
    at every point. Class 0 uses the first and second triangle as ``h`` and ``g``, class 1 the first
    and third, class 2 the second and third. The Bayes-optimal accuracy is about 0.86.

    Parameters
    ----------
    irrelevant : bool, default=False
        Whether to append 19 irrelevant columns of N(0, 1) noise.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees",
       Wadsworth 1984.

    Examples
    --------
    >>> from driftlearn.streams import Waveform
    >>> Waveform(irrelevant=True, random_state=0).take(100)[0].shape
    (100, 40)
    """

    name = "waveform"
    n_classes = 3
    irrelevant: bool = False
    n_rows: int | None = 1_000_000
    chunk_size: int = 1_000
    random_state: int | None = None

    def __post_init__(self) -> None:
        self.n_features = N_POINTS + N_NOISE if self.irrelevant else N_POINTS
        super().__post_init__()

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        y = rng.integers(3, size=len(rows))
        u = rng.random((len(rows), 1))
        X = rng.normal(size=(len(rows), self.n_features))
        first, second = PAIRS[y].T
        X[:, :N_POINTS] += u * WAVES[first] + (1 - u) * WAVES[second]
        return X, y
