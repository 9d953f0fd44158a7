# cython: infer_types=True
"""The Hoeffding tree: a decision tree that grows while rows pass by."""

import cython
import numpy as np
from cython.cimports.libc.math import log, log2, sqrt

if not cython.compiled:
    from driftlearn.engines.hoeffding_leaves import HoeffdingLeaves
    from driftlearn.engines.hoeffding_splits import best_split, divide_weights
    from driftlearn.engines.online_model import OnlineModel

from driftlearn._schema import LARGEST, Misfit, floats, integer, integers, newer, number, word
from driftlearn.engines.leaf_arrays import check_codes, check_leaves
from driftlearn.engines.online_model import check_rows, check_scores
from driftlearn.kernels.node_checks import check_nodes
from driftlearn.kernels.random_features import draw_features

MOST_BYTES = 2**62  # more than any machine has
MAX_NODES = 100_000
MAX_BYTES = 2**26
UNASKED = cython.declare(cython.int, -2)
BLOCK = 64  # nodes whose attributes are drawn at a time: that costs as much as for one


@cython.cclass
class HoeffdingTreeModel(OnlineModel):
    """The tree of Domingos and Hulten: a leaf splits once it has seen enough to be sure.

    A leaf keeps, for every class, weight, mean, variance and range of each numeric attribute and
    the counts of each nominal one. When rows of weight `grace_period` have come since it last
    looked, and it is impure, it compares the information gains of the best split of each
    attribute, the split that does nothing (gain 0) among them, and splits if the best leads the
    second by more than the Hoeffding bound, or if that bound is below `tie_threshold`.

    Splits are binary: ``x <= t`` on a numeric attribute, with the weight on each side estimated
    from the class's normal distribution; ``x == v`` against all other values on a nominal one.
    The children inherit the estimated class weights and start their own statistics.

    Parameters
    ----------
    n_features, n_classes : int
        As for `OnlineModel`.
    grace_period : float
        Weight of rows between two looks of a leaf.
    delta : float
        Probability of a wrong split that is accepted.
    tie_threshold : float
        Bound below which the best two splits count as equally good.
    leaf_prediction : {"nba", "nb", "majority"}
        What a leaf says: its majority class, naive Bayes, or (nba) naive Bayes where that was
        right about strictly more of the leaf's rows, before it learned them, than the majority.
    n_split_points : int
        Thresholds tried for a numeric attribute, evenly between its lowest and highest value.
    nominal : uint8 array of shape (n_features,), optional
        1 for nominal attributes, whose values are codes from 0 to 65535.
    n_values : int array of shape (n_features,), optional
        How many values each nominal attribute has; grows when a larger code is learned.
    max_depth : int
        Leaves at this depth do not split; -1 for no limit.
    max_nodes : int or None
        No leaf splits if there would then be more nodes.
    max_bytes : int or None
        What the statistics of leaves may take: ``8 * n_classes * (1 + 4 * n_features + V)`` bytes
        for each that is active, with V values of nominal attributes in all. One always is.
    n_chosen : int
        Of how many attributes, drawn when it is born, a leaf compares the splits; 0 for all.
    seed : int
        Decides these draws.

    Attributes
    ----------
    n_nodes, n_active : int
        Number of nodes, and of active leaves.
    n_bytes : int
        Bytes that all arrays take: nodes, leaves, statistics, and what naive Bayes makes of them.

    Notes
    -----
    Naive Bayes at a leaf takes its priors from the leaf's class weights, inherited ones included;
    its variances have 1e-9 added; a nominal value's probability in a class is ``(count + 1) /
    (n + V)``; a class without rows of its own at the leaf contributes its prior only.

    Where no more leaves may be active, those that promise least are not: those with the least
    weight of other classes than their largest. An inactive leaf has no statistics, says its
    majority class and does not split. When rows of weight `grace_period` have come since it last
    looked, it takes the place of the active leaf that promises least, if it promises more.

    The attributes of the leaf that is node n are those with the smallest of the numbers
    ``default_rng([seed, 1 + n // 64]).random((64, n_features))[n % 64]``; it keeps statistics of
    all, and naive Bayes asks all.

    An attribute that is missing (nan) in a row is left out of the statistics of the row's leaf,
    and of the row's naive Bayes. The gain of a split counts the rows that have the attribute, and
    is multiplied by their share of the leaf's rows. At a split, rows without its attribute go for
    ever to the side that got more weight of the others when it was made, left if equal; it also
    inherits those before it. `max_bytes` does not count what missing values add to statistics.

    The nodes are flat arrays that double when full. An inner node's left child is `child`, the
    right one follows it. A leaf has `feature` -1, and its number in `HoeffdingLeaves` is `child`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((1000, 2))
    >>> y = (X[:, 1] > 0.5).astype(np.intp)
    >>> tree = HoeffdingTreeModel(n_features=2, n_classes=2)
    >>> tree.learn_many(X, y, np.ones(1000))
    >>> probe = np.array([[0.9, 0.2], [0.1, 0.8]])
    >>> tree.predict_one(probe, 0), tree.predict_one(probe, 1)
    (0, 1)
    """

    STATE = {
        **OnlineModel.STATE,
        "grace_period": number(0),
        "delta": number(0, 1, above=True),
        "tie_threshold": number(),
        "leaf_prediction": word("nba", "nb", "majority"),
        "n_split_points": integer(1, 1000),  # a file must not make a split take minutes
        "max_depth": integer(-1),
        "max_nodes": newer(integer(1)),
        "max_bytes": newer(integer(1, MOST_BYTES)),
        "feature": integers("nodes", least=-1, below="n_features"),
        "threshold": floats("nodes"),
        "child": integers("nodes", least=0),
        "missing_left": newer(integers("nodes", least=0, below=2)),
        "seed": newer(integer(0)),
        "subset": newer(integers("drawn", "chosen", least=0, below="n_features")),
        **HoeffdingLeaves.STATE,
    }

    def __init__(
        self,
        n_features,
        n_classes,
        grace_period=100,
        delta=0.01,
        tie_threshold=0.05,
        leaf_prediction="nba",
        n_split_points=10,
        nominal=None,
        n_values=None,
        max_depth=-1,
        max_nodes=MAX_NODES,
        max_bytes=MAX_BYTES,
        n_chosen=0,
        seed=0,
    ):
        OnlineModel.__init__(self, n_features, n_classes)
        if leaf_prediction not in ("nba", "nb", "majority"):
            raise ValueError(f"leaf_prediction is nba, nb or majority, not {leaf_prediction!r}")
        self.grace_period, self.delta, self.tie_threshold = grace_period, delta, tie_threshold
        self.n_split_points, self.max_depth = n_split_points, max_depth
        self.leaf_prediction = leaf_prediction
        self.max_nodes = LARGEST if max_nodes is None else min(max_nodes, LARGEST)
        self.max_bytes = MOST_BYTES if max_bytes is None else min(max_bytes, MOST_BYTES)
        self.bayes = leaf_prediction == "nb"
        self.adaptive = leaf_prediction == "nba"
        self.n_nodes = 1
        self.feature, self.child = np.array([[-1], [0]], dtype=np.int32)
        self.threshold, self.missing_left = np.zeros(1), np.zeros(1, dtype=np.uint8)
        n_chosen = 0 if n_chosen >= n_features else n_chosen
        self.seed = seed if n_chosen > 0 else 0
        self.subset = np.zeros((0, n_chosen), dtype=np.int32)
        self._choose()
        nominal = np.zeros(n_features) if nominal is None else nominal
        n_values = np.zeros(n_features) if n_values is None else n_values
        self.leaves = HoeffdingLeaves(n_features, n_classes, nominal, n_values, self.max_bytes)

    def learn_one(self, X, i, y, w):
        """Learn row `i` of `X`, of class `y`, as if it had come `w` times; 0 is never."""
        self._learn(X, i, y, w)

    def learn_many(self, X, y, w):
        """Learn all rows, in order."""
        i: cython.Py_ssize_t
        check_rows(self.n_features, self.n_classes, X, y, w)
        check_codes(np.asarray(X)[:, np.asarray(self.leaves.nominal) > 0])
        with cython.nogil:
            for i in range(X.shape[0]):
                self._learn(X, i, y[i], w[i])

    def test_and_learn_many(self, X, y, w, out):
        """Learn all rows, in order; write the class scores of each before that to `out`."""
        i: cython.Py_ssize_t
        check_rows(self.n_features, self.n_classes, X, y, w)
        check_scores(self.n_features, self.n_classes, X, out)
        check_codes(np.asarray(X)[:, np.asarray(self.leaves.nominal) > 0])
        with cython.nogil:
            for i in range(X.shape[0]):
                self._test(X, i, out[i])
                self._learn_tested(X, i, y[i], w[i])

    def scores_one(self, X, i, out):
        """Write row `i`'s class probabilities to `out`; all are 0 before any row."""
        self._scores(X, i, out)

    def scores_many(self, X, out):
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes)."""
        i: cython.Py_ssize_t
        check_scores(self.n_features, self.n_classes, X, out)
        with cython.nogil:
            for i in range(X.shape[0]):
                self._scores(X, i, out[i])

    def predict_one(self, X, i):
        """Return the code of row `i`'s best class, the lowest on ties; -1 before any row."""
        leaf = self.child[self._node_of(X, i)]
        if self._asks_bayes(leaf):
            return self.leaves.most_probable(leaf, X, i)
        return self.leaves.majority(leaf)

    def test_one(self, X, i, out):
        """Write row `i`'s class scores to `out`, unless that is None; return its best class."""
        return self._test(X, i, out)

    def learn_tested(self, X, i, y, w):
        """Learn row `i` as `learn_one` does; it is the row of the last call, of `test_one`."""
        self._learn_tested(X, i, y, w)

    def _is_free(self):
        return True

    def _take_row(self, X, i, y, w):
        return self._learn(X, i, y, w)

    def _take_tested(self, X, i, y, w):
        return self._learn_tested(X, i, y, w)

    def _test_row(self, X, i, out):
        return self._test(X, i, out)

    def _test(self, X, i, out):
        self.node = self._node_of(X, i)
        leaf = self.child[self.node]
        self.majority = self.leaves.majority(leaf)
        self.likely = UNASKED
        if self._asks_bayes(leaf):
            if out is None:
                self.likely = self.leaves.most_probable(leaf, X, i)
            else:
                self.likely = self.leaves.probabilities(leaf, X, i, out)
            return self.likely
        if out is not None:
            self.leaves.shares(leaf, out)
        return self.majority

    def _learn(self, X, i, y, w):
        if w == 0.0:
            return 0
        if self.leaves.any_nominal:
            self.leaves.admit(X, i)
        self.node = self._node_of(X, i)
        if self.adaptive:
            self.majority = self.leaves.majority(self.child[self.node])
            self.likely = UNASKED
        return self._learn_there(X, i, y, w)

    def _learn_tested(self, X, i, y, w):
        if self.leaves.any_nominal:  # a new value changes what naive Bayes says
            return self._learn(X, i, y, w)
        return self._learn_there(X, i, y, w) if w > 0.0 else 0

    def _learn_there(self, X, i, y, w):
        """Learn a row whose node is known, and its majority class where that is needed."""
        node = self.node
        leaf = self.child[node]
        if self.adaptive:
            if self.majority == y:
                self.leaves.majority_right[leaf] += w
            if self.leaves.slot[leaf] >= 0:
                if self.likely == UNASKED:
                    self.likely = self.leaves.most_probable(leaf, X, i)
                if self.likely == y:
                    self.leaves.bayes_right[leaf] += w
        self.leaves.learn(leaf, X, i, y, w)
        self.weight_seen += w
        if self.leaves.since_check[leaf] >= self.grace_period:
            if self.leaves.slot[leaf] >= 0:
                self._consider_split(node)
            else:
                self._claim_slot(leaf)
        return 0

    def _node_of(self, X, i):
        """Return the leaf's node of a row; without branches that no processor can foretell."""
        node: cython.int = 0
        any_nominal: cython.bint = self.leaves.any_nominal
        f = self.feature[0]
        while f >= 0:
            x = X[i, f]
            t = self.threshold[node]
            if x != x:
                node = self.child[node] + (not self.missing_left[node])
            elif any_nominal and self.leaves.nominal[f]:
                node = self.child[node] + (x != t)
            else:
                node = self.child[node] + (x > t)
            f = self.feature[node]
        return node

    def _asks_bayes(self, leaf):
        if self.leaves.slot[leaf] < 0:
            return False
        if self.adaptive:
            return self.leaves.bayes_right[leaf] > self.leaves.majority_right[leaf]
        return self.bayes

    def _scores(self, X, i, out):
        leaf = self.child[self._node_of(X, i)]
        if self._asks_bayes(leaf):
            self.leaves.probabilities(leaf, X, i, out)
        else:
            self.leaves.shares(leaf, out)

    def _consider_split(self, node):
        leaf = self.child[node]
        n, n_seen = self.leaves.mass(leaf)
        if n_seen < 2 or self.leaves.depth[leaf] == self.max_depth:
            return 0
        self.leaves.since_check[leaf] = 0.0
        if self.max_nodes - self.n_nodes < 2:
            return 0
        slot = self.leaves.slot[leaf]
        best, second, feature, cut = best_split(
            self.leaves, slot, self.n_split_points, self.subset, node
        )
        if feature >= 0:
            r = log2(n_seen)
            bound = sqrt(r * r * log(1.0 / self.delta) / (2.0 * n))
            if best - second > bound or bound < self.tie_threshold:
                with cython.gil:
                    self._split(node, feature, cut)
        return 0

    def _split(self, node: cython.int, feature: cython.int, cut: cython.double):
        leaf, first = self.child[node], self.n_nodes
        if first + 2 > len(self.feature):
            size = 2 * first + 2
            wider = [np.resize(self.threshold, size), np.resize(self.child, size)]
            wider.append(np.resize(self.missing_left, size))
            self.feature = np.resize(self.feature, size)
            self.threshold, self.child, self.missing_left = wider
        self.missing_left[node] = divide_weights(self.leaves, self.leaves.slot[leaf], feature)
        right = self.leaves.divide(leaf)
        self.feature[node], self.threshold[node], self.child[node] = feature, cut, first
        self.feature[first] = self.feature[first + 1] = -1
        self.threshold[first] = self.threshold[first + 1] = 0.0
        self.missing_left[first] = self.missing_left[first + 1] = 0
        self.child[first], self.child[first + 1] = leaf, right
        self.n_nodes = first + 2
        self._choose()

    def _choose(self):
        """Draw the attributes that new leaves will look at, a block of nodes at a time."""
        n_chosen = self.subset.shape[1]
        while n_chosen > 0 and len(self.subset) < self.n_nodes:
            k, done = divmod(len(self.subset), BLOCK)
            block = draw_features([self.seed, 1 + k], BLOCK, self.n_features, n_chosen)
            self.subset = np.vstack([self.subset, block[done:].astype(np.int32)])

    def _claim_slot(self, leaf):
        self.leaves.since_check[leaf] = 0.0
        poorest = self.leaves.poorest()
        if self.leaves.promise(leaf) > self.leaves.promise(poorest):
            self.leaves.hand_over(poorest, leaf)

    @property
    def n_active(self):
        """Number of active leaves."""
        return self.leaves.n_active

    @property
    def n_bytes(self):
        """Bytes that all arrays take."""
        return 17 * len(self.feature) + 4 * np.size(self.subset) + self.leaves.n_bytes

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.leaves.widen(positions, n_classes)
        self.n_classes = n_classes

    def copy(self):
        """Return a tree that knows the same and goes its own way."""
        if self.n_classes == 0:
            return OnlineModel.copy(self)
        other: HoeffdingTreeModel = HoeffdingTreeModel.__new__(HoeffdingTreeModel)
        other.n_features, other.n_classes, other.seed = self.n_features, self.n_classes, self.seed
        other.delta, other.bayes, other.adaptive = self.delta, self.bayes, self.adaptive
        other.weight_seen, other.grace_period = self.weight_seen, self.grace_period
        other.tie_threshold, other.max_depth = self.tie_threshold, self.max_depth
        other.n_split_points, other.leaf_prediction = self.n_split_points, self.leaf_prediction
        other.max_nodes, other.max_bytes = self.max_nodes, self.max_bytes
        other.n_nodes, other.subset = self.n_nodes, self.subset  # which is never written into
        other.feature, other.threshold = self.feature.copy(), self.threshold.copy()
        other.child, other.missing_left = self.child.copy(), self.missing_left.copy()
        other.leaves = self.leaves.copy()
        return other

    def get_state(self):
        """Return everything the tree knows: a dict of arrays, numbers and a string."""
        return {
            **OnlineModel.get_state(self),
            "grace_period": float(self.grace_period),
            "delta": float(self.delta),
            "tie_threshold": float(self.tie_threshold),
            "leaf_prediction": self.leaf_prediction,
            "n_split_points": int(self.n_split_points),
            "max_depth": int(self.max_depth),
            "max_nodes": int(self.max_nodes),
            "max_bytes": int(self.max_bytes),
            "feature": np.array(self.feature[: self.n_nodes]),
            "threshold": np.array(self.threshold[: self.n_nodes]),
            "child": np.array(self.child[: self.n_nodes]),
            "missing_left": np.array(self.missing_left[: self.n_nodes]),
            "seed": int(self.seed),
            "subset": np.array(self.subset[: self.n_nodes]),
            **self.leaves.get_state(),
        }

    def set_state(self, state):
        """Become the tree whose `get_state` this was; one without bounds has the usual ones."""
        self.__init__(
            int(state["n_features"]),
            int(state["n_classes"]),
            float(state["grace_period"]),
            float(state["delta"]),
            float(state["tie_threshold"]),
            str(state["leaf_prediction"]),
            int(state["n_split_points"]),
            state["nominal"],
            state["n_values"],
            int(state["max_depth"]),
            state.get("max_nodes", MAX_NODES),
            state.get("max_bytes", MAX_BYTES),
        )
        OnlineModel.set_state(self, state)
        self.n_nodes = len(state["feature"])
        self.feature = np.array(state["feature"], dtype=np.int32)
        self.threshold = np.array(state["threshold"], dtype=float)
        self.child = np.array(state["child"], dtype=np.int32)
        self.missing_left = np.full(self.n_nodes, state.get("missing_left", 1), dtype=np.uint8)
        self.seed = state.get("seed", 0)
        self.subset = np.array(state.get("subset", np.zeros((0, 0))), dtype=np.int32, order="C")
        self.leaves.set_state(state)

    @staticmethod
    def check_state(state):
        """Raise ValueError unless nodes, leaves and the room for nominal values fit together."""
        feature, child = state["feature"], state["child"]
        inner = feature >= 0
        below = child, np.where(inner, child + 1, child)
        check_nodes(inner, below, feature, state["n_features"])
        if (child[~inner] >= len(state["depth"])).any():
            raise Misfit("a node of a tree has a leaf that is not there")
        subset = state.get("subset", np.zeros((0, 0)))
        if subset.shape[1] and len(subset) != len(feature):
            raise Misfit("not every leaf of a tree has features to look at")
        check_leaves(state)
