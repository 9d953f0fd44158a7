"""Hoeffding tree (spec 26; Domingos & Hulten 2000), a row at a time.

Decisions:

* y is a class code; the number of classes grows to the largest code seen. A row of weight 0 is
  ignored.
* Nominal values are codes 0, 1, ...; V of an attribute is its given `n_values` or one more than
  the largest code learned anywhere in the tree, whichever is more. Prediction does not change V.
* The gain of a split compares the weights of its two sides with their sum, that is with the weights
  of rows with this attribute seen at the leaf itself (not with weights inherited from its parent);
  impurity, n, R, the majority and the priors use the leaf's class weights (inherited ones
  included).
* A due check is postponed while the leaf is pure; max_depth (root 0) stops checks. After a check
  the weight since the last one is 0.
* Order of tests for the weight left of t: t < min_c, t >= max_c, sd == 0, then n_c * 0.5 * (1 +
  erf((t - mean) / sd / sqrt 2)). x <= t goes left; so does x == v.
* t = min + (max - min) * k / (n + 1), left to right. No candidate if min == max. Nominal
  candidates: values with weight at the leaf, ascending. A later split or attribute must be
  strictly better.
* The right weights are the attribute's weights minus the left ones, class by class. Entropy is
  -sum p log2 p in class order; gain = H(all) - (l/n H(left) + r/n H(right)).
* The correct predictions of "nba" are not counted for a row if the leaf has no class weight yet. NB
  predicts by the argmax of the log posterior; it starts from the log prior and adds
  -0.5 * (log(2 pi var) + d*d/var) feature by feature, var = M2/n + 1e-9. Its scores are the
  normalized posterior, those of the majority the class shares.
* NB compares the classes of which the leaf has seen a row itself, since it was created or became
  active; a class with inherited weight alone has posterior 0, though its weight counts in the
  priors. Before the leaf's first own row NB predicts by the class weights, also where its correct
  predictions are counted.
* A numeric attribute that has not varied within a class (M2/n + 1e-9 == 1e-9) adds -0.5 * d*d/1e-9
  alone: a constant contributes a factor of 1 if the row has the same value. The first value is the
  mean itself, so that M2 of equal values is 0 for all weights.

Bounds (`max_nodes`, `max_bytes`; None: no bound, every leaf always active):

* Inner nodes and inactive leaves count as nodes. A split that max_nodes forbids is computed and
  discarded: only since_check changes. Inactive leaves are not checked for splits.
* The classes known to the tree are those up to the largest code, or the number passed to `widen`;
  V of the tree is the sum of V over the nominal attributes. Every learned row may raise it, also
  one that reaches an inactive leaf. The bound counts the new V before the row is learned; naive
  Bayes still uses the old one when its prediction of this row is counted, as without a bound.
* The row goes to its leaf after that: a leaf that is deactivated because of this row learns it as
  an inactive leaf.
* The promise of a leaf is the sum of the class weights in class order minus the largest; without
  weights it is 0. It is recomputed whenever it is needed, after the row's weight was added.
* After a split the leaves to deactivate are chosen by the weights that the children inherit; a
  child may be among them (a pure one has promise 0).
* An inactive leaf counts the correct predictions of its majority by the rule of active leaves
  (lowest class on ties; no count without class weight). Its check follows after the row is added,
  at any depth, also at max_depth, and since_check is 0 after it whether or not the leaf becomes
  active.
* A leaf that becomes active starts with the next row; its counts of correct predictions are kept,
  including those added to majority_right while nb_right was not counted. A leaf deactivated with an
  overdue check (it was pure or at max_depth) is checked at its next row. Class weights of its
  inactive time stay in its priors.

Missing values (nan):

* If a row lacks an attribute, its leaf learns nothing about this attribute, and naive Bayes skips
  it. An attribute without values of a class at the leaf has no term in that class's posterior.
* A missing nominal value is not a value: V does not grow by it.
* A gain, computed on the rows that have the attribute, is multiplied by their share of the weight
  that the leaf has seen itself. An attribute that no row had is no candidate.
* Rows that lack the attribute of a split go to the side that has more weight of the rows that have
  it when the split is made, left on ties; this never changes. The rows without the attribute seen
  so far are inherited by that side.

Random features (`max_features`): every leaf splits only by its own features, those with the
smallest of d uniform numbers. Each node uses one row of a block of numbers for 64 nodes, generated
from the tree's seed. Nodes are numbered in order of creation: the root is 0, the s-th split creates
2s - 1 and 2s. Statistics and naive Bayes use all features.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.cart import add_up
from tests.reference.naive_bayes import normalise


class Numeric:
    """Weight, mean, M2 and range of one attribute within one class at one leaf."""

    def __init__(self):
        self.n = self.mean = self.m2 = 0.0
        self.min, self.max = math.inf, -math.inf

    def add(self, x, w):
        self.n += w
        d = x - self.mean
        first = self.min > self.max
        self.mean = x if first else self.mean + d * w / self.n
        self.m2 += w * d * (x - self.mean)
        self.min, self.max = min(self.min, x), max(self.max, x)

    def weight_left(self, t):
        if self.n == 0 or t < self.min:
            return 0.0
        if t >= self.max:
            return self.n
        sd = math.sqrt(self.m2 / self.n)
        if sd == 0:
            return self.n if self.mean <= t else 0.0
        return self.n * (0.5 * (1.0 + math.erf((t - self.mean) / sd / math.sqrt(2.0))))

    def log_likelihood(self, x, n_values):
        var = self.m2 / self.n + 1e-9
        d = x - self.mean
        if var == 1e-9:
            return -0.5 * d * d / 1e-9
        return -0.5 * (math.log(2 * math.pi * var) + d * d / var)


class Nominal:
    """Weight of every value of one attribute within one class at one leaf."""

    def __init__(self):
        self.n, self.counts = 0.0, {}

    def add(self, x, w):
        self.n += w
        self.counts[int(x)] = self.counts.get(int(x), 0.0) + w

    def log_likelihood(self, x, n_values):
        return math.log((self.counts.get(int(x), 0.0) + 1) / (self.n + n_values))


def chosen(max_features, d):
    """Return how many of d features are drawn; for a share at least two, if d allows."""
    match max_features:
        case None:
            return d
        case "sqrt":
            return min(d, round(math.sqrt(d)) + 1)
        case int():
            return min(max_features, d)
    return min(d, max(2, round(max_features * d)))


def smallest(max_features, u):
    """Return the features with the smallest numbers, in ascending order."""
    return sorted(np.argsort(u, kind="stable")[: chosen(max_features, len(u))].tolist())


class Node:
    def __init__(self, class_weights, depth, number, features=None):
        self.class_weights, self.depth, self.number = class_weights, depth, number
        self.features = features  # candidates for its split
        self.active = True
        self.stats, self.own = [], []  # stats[class][attribute], own[class]: weight of all own rows
        self.missing_left = True
        self.since_check = self.majority_right = self.nb_right = 0.0
        self.feature, self.threshold, self.left, self.right = -1, 0.0, None, None

    def leaves(self):
        return [self] if self.feature < 0 else self.left.leaves() + self.right.leaves()

    def promise(self):
        return add_up(self.class_weights) - max(self.class_weights, default=0.0)

    def set_active(self, active):
        self.active, self.stats, self.own = active, [], []


def entropy(weights):
    total = add_up(weights)
    return add_up(-(w / total) * math.log2(w / total) for w in weights if w > 0)


def info_gain(left, right):
    both = [a + b for a, b in zip(left, right)]
    n, n_left, n_right = add_up(both), add_up(left), add_up(right)
    return entropy(both) - (n_left / n * entropy(left) + n_right / n * entropy(right))


class HoeffdingReference:
    def __init__(
        self,
        n_features,
        grace_period=100,
        delta=0.01,
        tie_threshold=0.05,
        leaf_prediction="nba",
        n_split_points=10,
        nominal=None,
        n_values=None,
        max_depth=None,
        max_nodes=None,
        max_bytes=None,
        max_features=None,
        seed=0,
    ):
        self.n_features, self.grace_period, self.delta = n_features, grace_period, delta
        self.tie_threshold, self.leaf_prediction = tie_threshold, leaf_prediction
        self.n_split_points, self.max_depth = n_split_points, max_depth
        self.nominal = [False] * n_features if nominal is None else [bool(v) for v in nominal]
        self.n_values = [0] * n_features if n_values is None else [int(v) for v in n_values]
        self.max_nodes, self.max_bytes = max_nodes, max_bytes
        self.max_features, self.seed = max_features, seed
        self.n_classes = self.n_nodes = 0
        self.root = Node([], 0, 0, self._next_features())

    def _next_features(self):
        """Return the features of the next node."""
        block, row = divmod(self.n_nodes, 64)
        u = np.random.default_rng([self.seed, 1 + block]).random((64, self.n_features))
        self.n_nodes += 1
        return smallest(self.max_features, u[row])

    def child(self, node, x):
        value = float(x[node.feature])
        if math.isnan(value):
            return node.left if node.missing_left else node.right
        if self.nominal[node.feature]:
            return node.left if value == node.threshold else node.right
        return node.left if value <= node.threshold else node.right

    def leaf(self, x, node=None):
        """Return the leaf of x below the node, by default the root."""
        node = node or self.root
        while node.feature >= 0:
            node = self.child(node, x)
        missing = self.n_classes - len(node.class_weights)
        node.class_weights.extend([0.0] * missing)
        return node

    def learn_one(self, x, y, w=1.0):
        x, y, w = [float(v) for v in x], int(y), float(w)
        if w <= 0:
            return
        self.widen(y + 1)
        n_values = self._grown(x)
        if n_values != self.n_values:
            self._hold_bound(n_values)
        self._learn_at(self.leaf(x), x, y, w, n_values)

    def _grown(self, x):
        """Return V of every attribute after the row is learned."""
        n_values = list(self.n_values)
        for f, value in enumerate(x):
            if self.nominal[f] and not math.isnan(value):
                n_values[f] = max(n_values[f], int(value) + 1)
        return n_values

    def _learn_at(self, leaf, x, y, w, n_values):
        if add_up(leaf.class_weights) > 0:
            leaf.majority_right += w * (first_max(leaf.class_weights) == y)
            if leaf.active:
                leaf.nb_right += w * (self._nb_prediction(leaf, x) == y)
        self.n_values = n_values
        leaf.class_weights[y] += w
        leaf.since_check += w
        if leaf.active:
            self._learn_statistics(leaf, x, y, w)
        elif leaf.since_check >= self.grace_period:
            leaf.since_check = 0.0
            self._try_activate(leaf)

    def _learn_statistics(self, leaf, x, y, w):
        while len(leaf.stats) < self.n_classes:
            leaf.stats.append([Nominal() if nominal else Numeric() for nominal in self.nominal])
            leaf.own.append(0.0)
        leaf.own[y] += w
        for f, value in enumerate(x):
            if not math.isnan(value):
                leaf.stats[y][f].add(value, w)
        impure = sum(c > 0 for c in leaf.class_weights) > 1
        if leaf.since_check >= self.grace_period and impure and leaf.depth != self.max_depth:
            leaf.since_check = 0.0
            self._try_split(leaf)

    def widen(self, n_classes):
        """Extend the tree to at least this number of classes."""
        if n_classes > self.n_classes:
            self.n_classes = n_classes
            self._hold_bound(self.n_values)

    def _active_leaves(self):
        """Return the active leaves, the least promising first; on ties the lowest number first."""
        active = [leaf for leaf in self.root.leaves() if leaf.active]
        return sorted(active, key=lambda leaf: (leaf.promise(), leaf.number))

    def _hold_bound(self, n_values):
        """Deactivate leaves until no more are active than max_bytes allows."""
        if self.max_bytes is None:
            return
        slots = sum(n for n, nominal in zip(n_values, self.nominal) if nominal)
        leaf_bytes = 8 * self.n_classes * (1 + 4 * self.n_features + slots)
        most = max(1, self.max_bytes // leaf_bytes)
        while len(self._active_leaves()) > most:
            self._active_leaves()[0].set_active(False)

    def _try_activate(self, leaf):
        least = self._active_leaves()[0]
        if leaf.promise() > least.promise():
            least.set_active(False)
            leaf.set_active(True)

    def _try_split(self, leaf):
        best, second = None, 0.0  # the null split has gain 0
        best_gain = 0.0
        for f in leaf.features:
            gain, candidate = self._best_of_attribute(leaf, f)
            if gain > best_gain:
                best, best_gain, second = candidate, gain, best_gain
            else:
                second = max(second, gain)
        if best is None:
            return
        seen = sum(c > 0 for c in leaf.class_weights)
        R = math.log2(max(2, seen))
        eps = math.sqrt(R * R * math.log(1 / self.delta) / (2 * add_up(leaf.class_weights)))
        if best_gain - second > eps or eps < self.tie_threshold:
            n_leaves = len(self.root.leaves())  # leaves are numbered from 0 without gaps
            if self.max_nodes is not None and 2 * n_leaves - 1 + 2 > self.max_nodes:
                return
            leaf.feature, leaf.threshold, left, right = best
            leaf.missing_left = add_up(left) >= add_up(right)
            lacking = [
                own - by_attribute[leaf.feature].n
                for own, by_attribute in zip(leaf.own, leaf.stats)
            ]
            if leaf.missing_left:
                left = [a + b for a, b in zip(left, lacking)]
            else:
                right = [a + b for a, b in zip(right, lacking)]
            leaf.left = Node(left, leaf.depth + 1, leaf.number, self._next_features())
            leaf.right = Node(right, leaf.depth + 1, n_leaves, self._next_features())
            leaf.stats = []
            self._hold_bound(self.n_values)

    def _best_of_attribute(self, leaf, f):
        stats = [by_attribute[f] for by_attribute in leaf.stats]
        totals = [s.n for s in stats]
        splits = []
        if self.nominal[f]:
            for v in sorted({v for s in stats for v in s.counts}):
                splits.append((float(v), [s.counts.get(v, 0.0) for s in stats]))
        else:
            low, high = min(s.min for s in stats), max(s.max for s in stats)
            if low < high:
                for k in range(1, self.n_split_points + 1):
                    t = low + (high - low) * k / (self.n_split_points + 1)
                    splits.append((t, [s.weight_left(t) for s in stats]))
        best_gain, best = -math.inf, None
        for t, left in splits:
            right = [n - part for n, part in zip(totals, left)]
            gain = info_gain(left, right) * (add_up(totals) / add_up(leaf.own))
            if gain > best_gain:
                best_gain, best = gain, (f, t, left, right)
        return best_gain, best

    def _log_posterior(self, leaf, x):
        n, logs = add_up(leaf.class_weights), []
        for c, weight in enumerate(leaf.class_weights):
            if weight <= 0 or c >= len(leaf.own) or leaf.own[c] <= 0:
                logs.append(-math.inf)
                continue
            total = math.log(weight / n)
            for f, stat in enumerate(leaf.stats[c]):
                if stat.n > 0 and not math.isnan(x[f]):
                    total += stat.log_likelihood(float(x[f]), self.n_values[f])
            logs.append(total)
        return logs

    def _nb_prediction(self, leaf, x):
        return first_max(self._log_posterior(leaf, x) if any(leaf.own) else leaf.class_weights)

    def _uses_nb(self, leaf):
        if not leaf.active:
            return False
        if self.leaf_prediction == "nba":
            return leaf.nb_right > leaf.majority_right
        return self.leaf_prediction == "nb"

    def scores(self, x):
        """Return class shares at the leaf or the naive Bayes posterior; 0 before any row."""
        return self._scores_at(self.leaf(x), x)

    def _scores_at(self, leaf, x):
        if self._uses_nb(leaf) and any(leaf.own):
            return normalise(self._log_posterior(leaf, x))
        n = add_up(leaf.class_weights)
        return [c / n if n > 0 else 0.0 for c in leaf.class_weights]

    def predict_one(self, x):
        leaf = self.leaf(x)
        if self._uses_nb(leaf):
            return self._nb_prediction(leaf, x)
        return first_max(leaf.class_weights)


def first_max(values):
    return values.index(max(values))
