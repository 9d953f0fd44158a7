# cython: infer_types=True
"""Compiled Hoeffding adaptive tree (HAT-ADWIN)."""

import cython
import numpy as np
from cython.cimports.libc.math import log, sqrt

if not cython.compiled:
    from driftlearn.base._online_model import RowModel
    from driftlearn.drift._adwin_window import AdaptiveWindow
    from driftlearn.tree._hoeffding_model import HoeffdingTreeModel
    from driftlearn.utils._row_pointers import start_of

from driftlearn.io import schema

# Marks a row whose leaf has not predicted yet; -1 is the prediction of an empty leaf.
NOT_PREDICTED = cython.declare(cython.int, -2)
MAX_NODES = 10_000
OPTIONS = {  # parameters that are stored as they are
    "grace_period": schema.number(0),
    "delta": schema.number(0, 1, above=True),
    "tie_threshold": schema.number(),
    "leaf_prediction": schema.word("nba", "nb", "majority"),
    "max_depth": schema.integer(-1),
    "max_nodes": schema.integer(1),
    "drift_delta": schema.number(0, 1, above=True),
    "switch_alpha": schema.number(0, 1, above=True),
    "min_width": schema.integer(0),
    "alternates": schema.newer(schema.word("vote", "wait")),
}
MOST = 2**62  # upper bound of counters in a stored state, above any number of rows


@cython.cclass
class AdaptiveNode:
    """Leaf or split of a Hoeffding adaptive tree, with its error window and alternate subtree.

    A leaf holds a Hoeffding tree with a single node. `alternate` is None if no alternate subtree is
    growing; nodes of alternate subtrees never have alternates themselves.
    """

    def __init__(self, depth, leaf, errors):
        self.depth = depth
        self.leaf = leaf
        self.errors = errors
        self.feature = -1
        self.threshold = 0.0
        self.missing_left = 0
        self.left = self.right = self.alternate = None

    def become(self, other):
        """Replace the content of this node by that of another node, in place."""
        self.leaf, self.errors = other.leaf, other.errors
        self.feature, self.threshold = other.feature, other.threshold
        self.missing_left = other.missing_left
        self.left, self.right, self.alternate = other.left, other.right, None

    def below(self):
        """Return the left child, the right child and the alternate, each None if missing."""
        return self.left, self.right, self.alternate


@cython.cclass
class AdaptiveTreeModel(RowModel):
    """Hoeffding adaptive tree of Bifet and Gavaldà.

    Every node monitors the error of its subtree with ADWIN. When the error of a node increases, an
    alternate subtree is started, which replaces the subtree once it is significantly better.

    Parameters
    ----------
    n_features, n_classes : int
        As for `OnlineModel`.
    grace_period, delta, tie_threshold, leaf_prediction, nominal, max_depth
        As for `HoeffdingTreeModel`.
    max_nodes : int
        The main tree does not split if it has more than this number of nodes, including those of
        alternates; alternates start and split up to twice this number.
    drift_delta : float
        Confidence parameter of the ADWIN error windows.
    switch_alpha : float
        Significance level of the test that an alternate is better or worse than its subtree.
    min_width : int
        A subtree and its alternate are compared when both error windows are wider than this.
    alternates : {"vote", "wait"}
        Whether an alternate that has split votes with the same weight as the leaf of the main
        tree, or does not contribute to predictions until it replaces its subtree.

    Attributes
    ----------
    n_nodes, n_alternates, n_switches : int
        Number of nodes; number of alternates started so far; number of alternates that replaced a
        subtree.
    n_bytes : int
        Memory of the statistics of all leaves, in bytes.

    Notes
    -----
    The state lists all nodes, each before its children and its alternate: ``left``, ``right`` and
    ``alternate`` are positions in that list, -1 for none. The models of the leaves are listed in
    the order of their nodes.

    Missing values are handled as in `HoeffdingTreeModel`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((4000, 2))
    >>> y = ((X[:, 1] > 0.5) == (np.arange(4000) < 2000)).astype(np.intp)
    >>> tree = AdaptiveTreeModel(n_features=2, n_classes=2, max_depth=1)
    >>> tree.learn_many(X, y, np.ones(4000))
    >>> tree.predict_one(np.array([[0.9, 0.2]]), 0), tree.n_switches > 0
    (1, True)
    """

    STATE = {
        **RowModel.STATE,
        **OPTIONS,
        "nominal": schema.integers("n_features", least=0, below=2),
        "n_alternates": schema.integer(0, MOST),
        "n_switches": schema.integer(0, MOST),
        "feature": schema.integers("nodes", least=-1, below="n_features"),
        "threshold": schema.floats("nodes"),
        "missing_left": schema.newer(schema.integers("nodes", least=0, below=2)),
        "depth": schema.integers("nodes", least=0, below=2**30),
        "left": schema.integers("nodes", least=-1, below="nodes"),
        "right": schema.integers("nodes", least=-1, below="nodes"),
        "alternate": schema.integers("nodes", least=-1, below="nodes"),
        "errors": schema.list_of(schema.a(AdaptiveWindow), "nodes"),
        "leaves": schema.list_of(schema.a(HoeffdingTreeModel, **schema.SHAPE, n_nodes=1)),
    }

    def __init__(
        self, n_features, n_classes, grace_period=100, delta=0.01, tie_threshold=0.05,
        leaf_prediction="nba", nominal=None, max_depth=-1, max_nodes=MAX_NODES, drift_delta=0.002,
        switch_alpha=0.05, min_width=300, alternates="vote",
    ):  # fmt: skip
        RowModel.__init__(self, n_features, n_classes)
        self.grace_period = grace_period
        self.delta = delta
        self.tie_threshold = tie_threshold
        self.leaf_prediction = leaf_prediction
        nominal = np.zeros(n_features) if nominal is None else nominal
        self.nominal = np.array(nominal, dtype=np.uint8)
        self.max_depth = max_depth
        self.max_nodes = max_nodes
        self.drift_delta = drift_delta
        self.switch_alpha = switch_alpha
        self.min_width = min_width
        self.alternates = alternates
        self.n_growing = 0
        self.n_nodes = 1
        self.n_alternates = 0
        self.n_switches = 0
        self.main_prediction = NOT_PREDICTED
        self.root = self._new_leaf(0)

    def _new_leaf(self, depth, n_values=None):
        # A leaf is a Hoeffding tree with one node that may grow to three nodes; its split is then
        # moved into the adaptive tree, see `_split`.
        leaf = HoeffdingTreeModel(
            self.n_features, self.n_classes, self.grace_period, self.delta, self.tie_threshold,
            self.leaf_prediction, nominal=self.nominal, n_values=n_values,
            max_depth=0 if depth == self.max_depth else -1, max_nodes=3, max_bytes=None,
        )  # fmt: skip
        return AdaptiveNode(depth, leaf, AdaptiveWindow(self.drift_delta))

    def _learn_row(self, row, y, w):
        with cython.gil:
            self._take(row, y, w, NOT_PREDICTED)
        return 0

    def _learn_tested_row(self, row, y, w):
        with cython.gil:
            self._take(row, y, w, self.main_prediction)
        return 0

    def _predict_row(self, row):
        with cython.gil:
            return self._predict(row)

    def _test_row(self, row, out):
        with cython.gil:
            return self._test(row, out)

    def _predict(self, row):
        """Return the predicted class; store the main tree's prediction for its error windows."""
        if self.n_growing > 0 and self.alternates == "vote":
            votes: cython.double[::1] = np.zeros(self.n_classes)
            return self._test(row, start_of(votes))
        self.main_prediction = self._leaf_of(self.root, row).leaf._predict_row(row)
        return self.main_prediction

    def _test(self, row, out):
        """Write the class scores of a row; return and store classes as `_predict` does."""
        self.main_prediction = self._leaf_of(self.root, row).leaf._test_row(row, out)
        if self.n_growing > 0 and self.alternates == "vote":
            return self._add_alternate_votes(row, out)
        return self.main_prediction

    def _add_alternate_votes(self, row, out):
        """Average the scores with those of the alternates on the row's path; return the class."""
        n_voters: cython.int = 1
        best: cython.int = 0
        node = self.root
        votes: cython.double[::1] = np.zeros(self.n_classes)
        while node.feature >= 0:
            if node.alternate is not None and node.alternate.feature >= 0:
                self._leaf_of(node.alternate, row).leaf._scores(row, start_of(votes))
                n_voters += 1
                for c in range(self.n_classes):
                    out[c] += votes[c]
            node = self._child(node, row)
        if n_voters == 1:
            return self.main_prediction
        for c in range(self.n_classes):
            out[c] /= n_voters
            if out[c] > out[best]:
                best = c
        return best

    def _take(self, row, y, w, predicted):
        """Train on a row; `predicted` is the main tree's prediction or `NOT_PREDICTED`."""
        if w > 0.0:
            self._learn(self.root, row, y, w, True, predicted)
            self.weight_seen += w

    def _leaf_of(self, node, row):
        while node.feature >= 0:
            node = self._child(node, row)
        return node

    def _child(self, node, row):
        x = row[node.feature]
        goes_left: cython.bint = (
            x == node.threshold if self.nominal[node.feature] else x <= node.threshold
        )
        if x != x:
            goes_left = node.missing_left
        return node.left if goes_left else node.right

    def _learn(self, node, row, y, w, main, predicted):
        """Train a subtree on a row: update error windows, alternates and the leaf on its path."""
        if predicted == NOT_PREDICTED:
            predicted = self._leaf_of(node, row).leaf._predict_row(row)
        error: cython.double = 1.0 if predicted != y else 0.0
        while True:
            rose: cython.bint = predicted >= 0 and node.errors.rises(error)
            if node.feature < 0:
                self._learn_in_leaf(node, row, y, w, main)
                return
            if main and rose and node.alternate is None and self.n_nodes < self._most(False):
                node.alternate = self._new_leaf(node.depth)
                self.n_nodes += 1
                self.n_growing += 1
                self.n_alternates += 1
            if node.alternate is not None:
                self._learn(node.alternate, row, y, w, False, NOT_PREDICTED)
                if self._compare(node):
                    return
            node = self._child(node, row)

    def _most(self, main):
        """Return the maximum number of nodes of the main tree, or of alternates.

        The limit of alternates is twice as high, so that a full tree can still adapt to drift.
        """
        most: cython.longlong = self.max_nodes
        return most if main else 2 * most

    def _learn_in_leaf(self, node, row, y, w, main):
        leaf = node.leaf
        leaf.max_nodes = 3 if self.n_nodes + 2 <= self._most(main) else 1
        leaf._learn_tested_row(row, y, w)
        if leaf.nodes.n > 1:
            self._split(node)

    def _split(self, node):
        """Turn a leaf whose tree has just grown from one node to three into a split node."""
        tree = node.leaf.get_state()
        node.feature, node.threshold = int(tree["feature"][0]), float(tree["threshold"][0])
        node.missing_left = int(tree["missing_left"][0])
        node.left, node.right = [self._new_leaf(node.depth + 1, tree["n_values"]) for _ in range(2)]
        for side, child in (1, node.left), (2, node.right):
            weights = child.leaf.leaves.arrays(("class_weight",))["class_weight"]
            weights[0] = tree["class_weight"][tree["child"][side]]
        node.leaf = None
        self.n_nodes += 2

    def _compare(self, node):
        """Compare a node with its alternate; return whether the alternate has replaced it."""
        n0: cython.double = node.errors.width
        n1: cython.double = node.alternate.errors.width
        if n0 <= self.min_width or n1 <= self.min_width:
            return False
        e0: cython.double = node.errors.estimate
        e1: cython.double = node.alternate.errors.estimate
        # Bound on the difference of two error rates, as in the reference implementations: sqrt(2 e0
        # (1 - e0) ln(2 / alpha) (1 / n0 + 1 / n1)).
        spread: cython.double = 2.0 * e0 * (1.0 - e0) * log(2.0 / self.switch_alpha)
        bound: cython.double = sqrt(spread * (1.0 / n0 + 1.0 / n1))
        better: cython.bint = e0 - e1 > bound
        if better:
            node.become(node.alternate)
            self.n_switches += 1
        elif e1 - e0 > bound:
            node.alternate = None
        else:
            return False
        self._count()
        return better

    def _count(self):
        """Update the number of nodes and of alternates that are growing."""
        nodes = self._nodes()
        self.n_nodes = len(nodes)
        self.n_growing = sum([node.alternate is not None for node in nodes])

    def _nodes(self):
        """Return all nodes, each before its children and its alternate."""
        nodes = [self.root]
        for node in nodes:
            nodes += [each for each in node.below() if each is not None]
        return nodes

    @property
    def n_bytes(self):
        """Memory of the statistics of all leaves, in bytes."""
        return sum(node.leaf.n_bytes for node in self._nodes() if node.leaf is not None)

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        for node in self._nodes():
            if node.leaf is not None:
                node.leaf.widen(positions, n_classes)
        self.n_classes = n_classes

    def get_state(self):
        """Return the state as a dict of arrays, numbers, error windows and leaf models."""
        nodes = self._nodes()
        places = {id(node): place for place, node in enumerate(nodes)} | {id(None): -1}
        below = np.array([[places[id(each)] for each in node.below()] for node in nodes], np.int32)
        return {
            **{name: getattr(self, name) for name in {**RowModel.STATE, **OPTIONS}},
            "nominal": np.array(self.nominal),
            "n_alternates": int(self.n_alternates),
            "n_switches": int(self.n_switches),
            "feature": np.array([node.feature for node in nodes], np.int32),
            "threshold": np.array([node.threshold for node in nodes]),
            "missing_left": np.array([node.missing_left for node in nodes], np.uint8),
            "depth": np.array([node.depth for node in nodes], np.int32),
            "left": below[:, 0].copy(),
            "right": below[:, 1].copy(),
            "alternate": below[:, 2].copy(),
            "errors": [node.errors for node in nodes],
            "leaves": [node.leaf for node in nodes if node.leaf is not None],
        }

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the nodes form a tree and its leaves match the model."""
        feature, inner = state["feature"], state["feature"] >= 0
        n, below = len(feature), [state[name] for name in ("left", "right", "alternate")]
        named = np.concatenate([places[places >= 0] for places in below])
        # Every node but the root must be referenced exactly once, by an earlier node; inner nodes
        # have two children; only inner nodes have alternates.
        if (
            n == 0
            or not np.array_equal(np.sort(named), np.arange(1, n))
            or any(((places >= 0) & (places <= np.arange(n))).any() for places in below)
            or any(((places >= 0) != inner).any() for places in below[:2])
            or (below[2][~inner] >= 0).any()
        ):
            raise schema.InvalidStateError("the nodes of the adaptive tree do not form a tree")
        is_alternate = np.zeros(n, dtype=bool)
        for k in np.flatnonzero(inner):
            is_alternate[[places[k] for places in below[:2]]] = is_alternate[k]
            if below[2][k] >= 0:
                if is_alternate[k]:
                    raise schema.InvalidStateError(
                        "an alternate of the adaptive tree has its own alternate"
                    )
                is_alternate[below[2][k]] = True
        leaves, nominal = state["leaves"], state["nominal"]
        if len(leaves) != n - inner.sum() or not all(
            np.array_equal(leaf.get_state()["nominal"], nominal) for leaf in leaves
        ):
            raise schema.InvalidStateError("the leaves do not match the adaptive tree")

    def set_state(self, state):
        """Restore a state returned by `get_state`; without `alternates`, they wait as before it."""
        options = {"alternates": "wait", **{name: state[name] for name in OPTIONS if name in state}}
        self.__init__(state["n_features"], state["n_classes"], nominal=state["nominal"], **options)
        self.weight_seen = state["weight_seen"]
        self.n_alternates, self.n_switches = state["n_alternates"], state["n_switches"]
        leaves = iter([leaf.copy() for leaf in state["leaves"]])
        nodes = [
            AdaptiveNode(int(depth), next(leaves) if feature < 0 else None, errors.copy())
            for depth, feature, errors in zip(state["depth"], state["feature"], state["errors"])
        ]
        missing_left = state.get("missing_left", np.ones(len(nodes)))
        for k, node in enumerate(nodes):
            node.feature, node.threshold = int(state["feature"][k]), float(state["threshold"][k])
            node.missing_left = int(missing_left[k])
            node.left, node.right, node.alternate = [
                None if state[name][k] < 0 else nodes[state[name][k]]
                for name in ("left", "right", "alternate")
            ]
        self.root = nodes[0]
        self._count()
