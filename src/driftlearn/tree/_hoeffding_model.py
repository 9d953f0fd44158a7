# cython: infer_types=True
"""Compiled Hoeffding tree (VFDT), a decision tree for data streams."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._online_model import RowModel, check_scores
    from driftlearn.tree._hoeffding_leaves import HoeffdingLeaves
    from driftlearn.tree._hoeffding_nodes import HoeffdingNodes
    from driftlearn.tree._hoeffding_splits import best_split, divide_weights, should_split
    from driftlearn.tree._leaf_arrays import BAYES, MAJORITY, SINCE
    from driftlearn.utils._row_pointers import place_at, row_at, start_of

from driftlearn.base.validation import check_codes
from driftlearn.io.schema import LARGEST, integer, newer, number, word
from driftlearn.tree._leaf_arrays import check_leaves
from driftlearn.utils.arguments import choose

MOST_BYTES = 2**62  # represents "no limit", since it exceeds the memory of any machine
MAX_NODES = 100_000
MAX_BYTES = 2**26
OPTIONS = {  # parameters that are stored as they are
    "grace_period": number(0),
    "delta": number(0, 1, above=True),
    "tie_threshold": number(),
    "leaf_prediction": word("nba", "nb", "majority"),
    "n_split_points": integer(1, 1000),  # larger values in a file would make splits very slow
    "max_depth": integer(-1),
    "max_nodes": newer(integer(1)),
    "max_bytes": newer(integer(1, MOST_BYTES)),
}
NOT_COMPUTED = cython.declare(cython.int, -2)  # naive Bayes was not evaluated for the row


@cython.cclass
class HoeffdingTreeModel(RowModel):
    """Hoeffding tree of Domingos and Hulten (VFDT).

    For every class, a leaf stores weight, mean, variance and range of each numeric attribute and
    the value counts of each nominal one. When rows of weight `grace_period` have arrived since the
    last attempt, an impure leaf compares the information gains of the best split of each attribute
    and of no split (gain 0). It splits if the best gain exceeds the second by more than the
    Hoeffding bound, or if the bound is below `tie_threshold`.

    Splits are binary. On a numeric attribute, ``x <= t`` goes left, and the weight of each side is
    estimated by the normal distribution of each class. On a nominal attribute, ``x == v`` goes
    left. The children inherit the estimated class weights and start with empty statistics.

    Parameters
    ----------
    n_features, n_classes : int
        As for `OnlineModel`.
    grace_period : float
        Weight of the rows between two split attempts of a leaf.
    delta : float
        Accepted probability that a split is made on the wrong attribute.
    tie_threshold : float
        Hoeffding bound below which the best two splits are considered tied.
    leaf_prediction : {"nba", "nb", "majority"}
        Prediction of a leaf: "majority" is its majority class, "nb" naive Bayes; "nba" is naive
        Bayes if its prequential accuracy at the leaf is strictly higher than that of the majority.
    n_split_points : int
        Number of thresholds tried for a numeric attribute, evenly spaced within its range.
    nominal : uint8 array of shape (n_features,), optional
        1 for nominal attributes, whose values are codes from 0 to 65535.
    n_values : int array of shape (n_features,), optional
        Number of values of each nominal attribute; increases when a larger code occurs.
    max_depth : int
        Leaves at this depth do not split; -1 for no limit.
    max_nodes : int or None
        A leaf does not split if the tree would then exceed this number of nodes.
    max_bytes : int or None
        Memory limit for the statistics of leaves. An active leaf takes
        ``8 * n_classes * (1 + 4 * n_features + V)`` bytes, where V is the total number of values of
        nominal attributes. At least one leaf is always active.
    n_chosen : int
        Number of attributes, drawn at the creation of a leaf, whose splits it compares; 0 for all.
    seed : int
        Seed of these draws.

    Attributes
    ----------
    n_nodes, n_active : int
        Number of nodes and of active leaves.
    n_bytes : int
        Memory of all arrays in bytes: nodes, leaves, statistics and cached naive Bayes terms.

    Notes
    -----
    Naive Bayes at a leaf uses the leaf's class weights, including inherited weights, as priors.
    1e-9 is added to all variances. The probability of a nominal value in a class is ``(count + 1) /
    (n + V)``. Classes without rows of their own at the leaf are not compared.

    If the memory limit does not allow all leaves to be active, the least promising ones are
    deactivated: those with the least weight outside their largest class. An inactive leaf has no
    statistics, predicts its majority class and does not split. After every `grace_period` it
    replaces the least promising active leaf if it is more promising.

    A missing value (nan) is ignored in the statistics of the row's leaf and in naive Bayes. The
    gain of a split is computed on the rows that have the attribute and multiplied by their share of
    the leaf's rows. A split permanently sends missing values to the side that had more weight when
    it was made, left if equal; this side also inherits the rows with missing values. `max_bytes`
    does not include the additional statistics for missing values.

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

    STATE = {**RowModel.STATE, **OPTIONS, **HoeffdingNodes.STATE, **HoeffdingLeaves.STATE}

    def __init__(
        self, n_features, n_classes, grace_period=100, delta=0.01, tie_threshold=0.05,
        leaf_prediction="nba", n_split_points=10, nominal=None, n_values=None, max_depth=-1,
        max_nodes=MAX_NODES, max_bytes=MAX_BYTES, n_chosen=0, seed=0,
    ):  # fmt: skip
        RowModel.__init__(self, n_features, n_classes)
        choose("leaf_prediction", leaf_prediction, dict.fromkeys(("nba", "nb", "majority")))
        self.grace_period, self.delta, self.tie_threshold = grace_period, delta, tie_threshold
        self.n_split_points, self.max_depth = n_split_points, max_depth
        self.leaf_prediction = leaf_prediction
        self.max_nodes = LARGEST if max_nodes is None else min(max_nodes, LARGEST)
        self.max_bytes = MOST_BYTES if max_bytes is None else min(max_bytes, MOST_BYTES)
        self.bayes, self.adaptive = leaf_prediction == "nb", leaf_prediction == "nba"
        self.nodes = HoeffdingNodes(n_features, n_chosen, seed)
        nominal = np.zeros(n_features) if nominal is None else nominal
        n_values = np.zeros(n_features) if n_values is None else n_values
        self.leaves = HoeffdingLeaves(n_features, n_classes, nominal, n_values, self.max_bytes)

    def _check_features(self, X):
        if self.leaves.any_nominal:
            check_codes(np.asarray(X)[:, np.asarray(self.leaves.nominal) > 0])

    def scores_one(self, X, i, out):
        """Write row `i`'s class probabilities to `out`; all are 0 in an empty model."""
        self._scores(row_at(X, i), start_of(out))

    def scores_many(self, X, out):
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes)."""
        check_scores(self.n_features, self.n_classes, X, out)
        with cython.nogil:
            for i in range(X.shape[0]):
                self._scores(row_at(X, i), place_at(out, i))

    def predict_one(self, X, i):
        """Return the class with the highest score for row `i` (lowest on ties); -1 if all are 0."""
        row = row_at(X, i)
        leaf = self._leaf_at(self.nodes.find(row, self.leaves))
        if self._uses_bayes(leaf):
            return self.leaves.most_probable(leaf, row)
        return self.leaves.majority(leaf)

    def _is_free(self):
        return True

    def _is_quiet(self, row):
        if self.leaves.any_nominal:
            return False
        leaf = self._leaf_at(self.nodes.find(row, self.leaves))
        return self.leaves.tallies[leaf, SINCE] + 1.0 < self.grace_period

    def _predict_row(self, row):
        leaf = self._visit(row)
        if self._uses_bayes(leaf):
            self.likely = self.leaves.most_probable(leaf, row)
            return self.likely
        return self.majority

    def _test_row(self, row, out):
        leaf = self._visit(row)
        if self._uses_bayes(leaf):
            self.likely = self.leaves.probabilities(leaf, row, out)
            return self.likely
        self.leaves.shares(leaf, out)
        return self.majority

    def _visit(self, row):
        """Return the leaf of a row; store its node and majority class for the training step."""
        self.node = self.nodes.find(row, self.leaves)
        leaf = self._leaf_at(self.node)
        self.majority = self.leaves.majority(leaf)
        self.likely = NOT_COMPUTED
        return leaf

    def _learn_row(self, row, y, w):
        if w == 0.0:
            return 0
        if self.leaves.any_nominal:
            self.leaves.admit(row)
        self.node = self.nodes.find(row, self.leaves)
        if self.adaptive:
            self.majority = self.leaves.majority(self._leaf_at(self.node))
            self.likely = NOT_COMPUTED
        return self._learn_there(row, y, w)

    def _learn_tested_row(self, row, y, w):
        if self.leaves.any_nominal:  # a new nominal value changes the naive Bayes prediction
            return self._learn_row(row, y, w)
        return self._learn_there(row, y, w) if w > 0.0 else 0

    def _learn_there(self, row, y, w):
        """Train on a row whose node (and, with "nba", majority class) is already stored."""
        leaf = self._leaf_at(self.node)
        tally = place_at(self.leaves.tallies, leaf)
        active: cython.bint = self.leaves.places[leaf, 1] >= 0
        if self.adaptive:
            if self.majority == y:
                tally[MAJORITY] += w
            if active:
                if self.likely == NOT_COMPUTED:
                    self.likely = self.leaves.most_probable(leaf, row)
                if self.likely == y:
                    tally[BAYES] += w
        self.leaves.learn(leaf, row, y, w)
        self.weight_seen += w
        if tally[SINCE] >= self.grace_period:
            if active:
                self._consider_split(self.node)
            else:
                self._claim_slot(leaf)
        return 0

    def _uses_bayes(self, leaf):
        if self.leaves.places[leaf, 1] < 0:
            return False
        if self.adaptive:
            return self.leaves.tallies[leaf, BAYES] > self.leaves.tallies[leaf, MAJORITY]
        return self.bayes

    def _leaf_at(self, node):
        return self.nodes.links[node, 1]

    def _scores(self, row, out):
        leaf = self._leaf_at(self.nodes.find(row, self.leaves))
        if self._uses_bayes(leaf):
            self.leaves.probabilities(leaf, row, out)
        else:
            self.leaves.shares(leaf, out)

    def _consider_split(self, node):
        leaf = self._leaf_at(node)
        n, n_seen = self.leaves.mass(leaf)
        if n_seen < 2 or self.leaves.places[leaf, 0] == self.max_depth:
            return 0
        self.leaves.tallies[leaf, SINCE] = 0.0
        if self.max_nodes - self.nodes.n < 2:
            return 0
        slot = self.leaves.places[leaf, 1]
        best, second, feature, cut = best_split(
            self.leaves, slot, self.n_split_points, self.nodes.subset, node
        )
        if feature >= 0 and should_split(best, second, n, n_seen, self.delta, self.tie_threshold):
            self._split(node, feature, cut)
        return 0

    def _split(self, node, feature, cut):
        if not (self.nodes.has_room() and self.leaves.has_room()):
            with cython.gil:
                self.nodes.make_room()
                self.leaves.make_room()
        leaf = self._leaf_at(node)
        missing_left = divide_weights(self.leaves, self.leaves.places[leaf, 1], feature)
        self.nodes.split(node, feature, cut, missing_left, self.leaves.divide(leaf))
        return 0

    def _claim_slot(self, leaf):
        self.leaves.tallies[leaf, SINCE] = 0.0
        poorest = self.leaves.poorest()
        if self.leaves.promise(leaf) > self.leaves.promise(poorest):
            self.leaves.hand_over(poorest, leaf)

    @property
    def n_nodes(self):
        """Number of nodes."""
        return self.nodes.n

    @property
    def n_active(self):
        """Number of active leaves."""
        return self.leaves.n_active

    @property
    def n_bytes(self):
        """Memory of all arrays, in bytes."""
        return self.nodes.n_bytes + self.leaves.n_bytes

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.leaves.widen(positions, n_classes)
        self.n_classes = n_classes

    def copy(self):
        """Return an independent copy."""
        if self.n_classes == 0:
            return RowModel.copy(self)
        other: HoeffdingTreeModel = HoeffdingTreeModel.__new__(HoeffdingTreeModel)
        other.n_features, other.n_classes = self.n_features, self.n_classes
        other.delta, other.bayes, other.adaptive = self.delta, self.bayes, self.adaptive
        other.weight_seen, other.grace_period = self.weight_seen, self.grace_period
        other.tie_threshold, other.max_depth = self.tie_threshold, self.max_depth
        other.n_split_points, other.leaf_prediction = self.n_split_points, self.leaf_prediction
        other.max_nodes, other.max_bytes = self.max_nodes, self.max_bytes
        other.nodes, other.leaves = self.nodes.copy(), self.leaves.copy()
        return other

    def get_state(self):
        """Return the state as a dict of arrays, numbers and a string."""
        numbers = {name: getattr(self, name) for name in {**RowModel.STATE, **OPTIONS}}
        return {**numbers, **self.nodes.get_state(), **self.leaves.get_state()}

    def set_state(self, state):
        """Restore a state returned by `get_state`; missing limits get their default values."""
        options = {name: state[name] for name in OPTIONS if name in state}
        sizes = {name: state[name] for name in ("nominal", "n_values")}
        self.__init__(state["n_features"], state["n_classes"], **options, **sizes)
        self.weight_seen = state["weight_seen"]
        self.nodes.set_state(state)
        self.leaves.set_state(state)

    @staticmethod
    def check_state(state):
        """Raise ValueError unless nodes, leaves and nominal value counts are consistent."""
        HoeffdingNodes.check_state(state)
        check_leaves(state)
