# cython: infer_types=True
"""What the leaves of a Hoeffding tree know, and what they say of a row."""

import cython
import numpy as np
from cython.cimports.libc.math import log

if not cython.compiled:
    from driftlearn.engines.leaf_arrays import LeafArrays
    from driftlearn.engines.naive_bayes import softmax, sum_of_logs, sum_without_gaps

from driftlearn.engines.leaf_arrays import check_codes

LOG_2PI = cython.declare(cython.double, log(2.0 * np.pi))
INF = cython.declare(cython.double, np.inf)


@cython.cclass
class HoeffdingLeaves(LeafArrays):
    """The leaves of one tree: what they learn of a row, what they say of it, how they divide.

    Every leaf has class weights. An *active* leaf has a slot too, with its statistics: all that it
    needs to split and to ask naive Bayes. Where memory bears no more slots, the leaves that promise
    most have them; the others are *inactive*, and what they knew is forgotten.

    Parameters
    ----------
    n_features, n_classes : int
        Shape of the problem.
    nominal : uint8 array of shape (n_features,)
        1 for nominal attributes.
    n_values : int array of shape (n_features,)
        Values of each nominal attribute; grows when a larger code is learned.
    max_bytes : int
        What the statistics of all leaves may take.

    Notes
    -----
    Leaves are numbered in the order in which they were made, slots from 0 without a gap:
    ``slot[leaf]`` is -1 for an inactive leaf, and ``owner[slot]`` is the leaf.

    ``class_weight[leaf, c]`` includes what the leaf inherited from the split that made it;
    ``weight[slot, c]`` counts only rows it saw itself, as all other statistics do. From the first
    missing value on ``known[slot, c, f]`` is the weight of those that had attribute f.

    A leaf promises the weight that is not of its largest class. The active leaf that promises least
    is found by a look at each, at splits and once in `grace_period` rows of an inactive leaf.
    """

    def copy(self):
        """Return leaves that know the same and go their own way."""
        other: HoeffdingLeaves = HoeffdingLeaves.__new__(HoeffdingLeaves)
        other.n_features, other.n_classes = self.n_features, self.n_classes
        other.max_bytes, other.of_slots, other.gaps = self.max_bytes, self.of_slots, self.gaps
        other.nominal, other.any_nominal = self.nominal, self.any_nominal  # never written into
        other.n_values, other.offset = self.n_values.copy(), self.offset
        other.n_leaves, other.n_active = self.n_leaves, self.n_active
        other.depth, other.since_check = self.depth.copy(), self.since_check.copy()
        other.majority_right = self.majority_right.copy()
        other.bayes_right, other.slot = self.bayes_right.copy(), self.slot.copy()
        other.class_weight, other.owner = self.class_weight.copy(), self.owner.copy()
        other.weight, other.mean = self.weight.copy(), self.mean.copy()
        other.m2, other.low, other.high = self.m2.copy(), self.low.copy(), self.high.copy()
        other.counts = np.array(self.counts) if self.any_nominal else self.counts  # it is empty
        if self.gaps:
            other.known = self.known.copy()
        other.stale, other.variance = self.stale.copy(), self.variance.copy()
        other.constant, other.left = self.constant.copy(), self.left.copy()
        other.surprise = self.surprise
        return other

    def admit(self, X, i):
        """Make room for the nominal values of a row; raise if one is no code."""
        for f in range(self.n_features):
            if self.nominal[f]:
                x = X[i, f]
                if x != x:
                    continue
                if not (x >= 0.0 and x < self.n_values[f]) or x != cython.cast(cython.int, x):
                    with cython.gil:
                        check_codes(np.array([x]))
                        self._more_values(f, int(x) + 1)
        return 0

    def learn(self, leaf, X, i, y, w):
        """Add a row of class `y` and weight `w` to what its leaf knows."""
        self.since_check[leaf] += w
        self.class_weight[leaf, y] += w
        s = self.slot[leaf]
        if s < 0:
            return 0
        f: cython.Py_ssize_t = 0
        if not self.gaps:
            n = self.weight[s, y] + w
            first: cython.bint = self.weight[s, y] == 0.0
            x = X[i, 0]
            while x == x:
                self._add(s, y, f, x, w, n, first)
                f += 1
                if f == self.n_features:
                    self.weight[s, y] = n
                    self.stale[s, y] = True
                    return 0
                x = X[i, f]
        return self._learn_gaps(s, X, i, y, w, f)

    def _learn_gaps(self, s, X, i, y, w, start):
        """Learn a row that may lack attributes, of which those before `start` are learned."""
        if not self.gaps:
            with cython.gil:
                self.expect_gaps()
        self.weight[s, y] += w
        self.stale[s, y] = True
        for f in range(self.n_features):
            if X[i, f] == X[i, f]:
                first: cython.bint = self.known[s, y, f] == 0.0
                self.known[s, y, f] += w
                if f >= start:
                    self._add(s, y, f, X[i, f], w, self.known[s, y, f], first)
        return 0

    def _add(self, s, y, f, x, w, n, first):
        """Add a value to the statistics of an attribute, of rows that now weigh `n`."""
        if self.nominal[f]:
            self.counts[s, y, self.offset[f] + cython.cast(cython.int, x)] += w
            return
        d = x - self.mean[s, y, f]
        self.mean[s, y, f] += d * w / n if w < n else d
        self.m2[s, y, f] += w * d * (x - self.mean[s, y, f])
        if first or x < self.low[s, y, f]:
            self.low[s, y, f] = x
        if first or x > self.high[s, y, f]:
            self.high[s, y, f] = x

    def majority(self, leaf):
        """Return the heaviest class, the lowest code on ties; -1 for an empty leaf."""
        best: cython.int = -1
        heaviest: cython.double = 0.0
        for c in range(self.n_classes):
            if self.class_weight[leaf, c] > heaviest:
                best = c
                heaviest = self.class_weight[leaf, c]
        return best

    def most_probable(self, leaf, X, i):
        """Return an active leaf's naive Bayes class of a row, as `majority` does."""
        best: cython.int = -1
        highest: cython.double = -INF
        s = self.slot[leaf]
        for c in range(self.n_classes):
            if self.class_weight[leaf, c] > 0.0:
                value = self.log_posterior(s, X, i, c)
                if value != value:
                    value = self._log_posterior_with_gaps(s, X, i, c)
                if best < 0 or value > highest:
                    best = c
                    highest = value
        return best

    def shares(self, leaf, out):
        """Write the shares of the classes at a leaf."""
        total, _ = self.mass(leaf)
        for c in range(self.n_classes):
            out[c] = self.class_weight[leaf, c] / total if total > 0.0 else 0.0

    def probabilities(self, leaf, X, i, out):
        """Write an active leaf's naive Bayes probabilities of a row; return the best class."""
        best: cython.int = -1
        s = self.slot[leaf]
        for c in range(self.n_classes):
            if self.class_weight[leaf, c] > 0.0:
                out[c] = self.log_posterior(s, X, i, c)
                if out[c] != out[c]:
                    out[c] = self._log_posterior_with_gaps(s, X, i, c)
                if best < 0 or out[c] > out[best]:
                    best = c
            else:
                out[c] = -INF
        softmax(out)
        return best

    def log_posterior(self, s, X, i, c):
        """Return naive Bayes' log posterior of a class, up to a constant of the leaf.

        It is nan if the row lacks an attribute: callers ask `_log_posterior_with_gaps` then, since
        handing a row on costs something even where it does not come to it.
        """
        if self.stale[s, c]:
            self._refresh(s, c)
        if self.weight[s, c] == 0.0:
            return self.constant[s, c]
        quadratic: cython.double = 0.0
        nominal: cython.double = 0.0
        if self.any_nominal:
            for f in range(self.n_features):
                if self.nominal[f]:
                    nominal += self._log_share(s, c, f, X[i, f])
                else:
                    d = X[i, f] - self.mean[s, c, f]
                    quadratic += d * d / self.variance[s, c, f]
        else:
            for f in range(self.n_features):
                d = X[i, f] - self.mean[s, c, f]
                quadratic += d * d / self.variance[s, c, f]
        return self.constant[s, c] + nominal - 0.5 * quadratic

    def _log_share(self, s, c, f, x):
        """Return the logarithm of the share of a class's rows that have a value; 0 of none."""
        count: cython.double = 0.0
        n = self.known[s, c, f] if self.gaps else self.weight[s, c]
        if x != x or n == 0.0:
            return 0.0
        if x >= 0.0 and x < self.n_values[f]:
            count = self.counts[s, c, self.offset[f] + cython.cast(cython.int, x)]
        return log((count + 1.0) / (n + self.n_values[f]))

    def _log_posterior_with_gaps(self, s, X, i, c):
        nominal: cython.double = 0.0
        for f in range(self.n_features):
            if self.nominal[f]:
                nominal += self._log_share(s, c, f, X[i, f])
        total = sum_without_gaps(self.mean[s], self.variance[s], c, X, i)
        return log(self.class_weight[self.owner[s], c]) + nominal - 0.5 * total

    def _refresh(self, s, c):
        n_numeric: cython.int = 0
        n = self.weight[s, c]
        constant: cython.double = log(self.class_weight[self.owner[s], c])
        if n > 0.0:
            for f in range(self.n_features):
                if not self.nominal[f]:
                    self.variance[s, c, f] = max(self.m2[s, c, f], 0.0) / n + 1e-9
                    n_numeric += 1
            if self.gaps:
                n_numeric = self._refresh_with_gaps(s, c)
            constant -= 0.5 * (n_numeric * LOG_2PI + sum_of_logs(self.variance[s], c))
        self.constant[s, c] = constant
        self.stale[s, c] = False

    def _refresh_with_gaps(self, s, c):
        """Write the variances of a class, infinite for attributes without any; return how many."""
        n_known: cython.int = 0
        for f in range(self.n_features):
            n = self.known[s, c, f]
            if self.nominal[f] or n == 0.0:
                self.variance[s, c, f] = INF
            else:
                self.variance[s, c, f] = max(self.m2[s, c, f], 0.0) / n + 1e-9
                n_known += 1
        return n_known

    def mass(self, leaf):
        """Return the weight of a leaf, and how many classes it has."""
        total: cython.double = 0.0
        n_seen: cython.int = 0
        for c in range(self.n_classes):
            total += self.class_weight[leaf, c]
            n_seen += self.class_weight[leaf, c] > 0.0
        return total, n_seen

    def poorest(self):
        """Return the active leaf that promises least, the lowest number on ties."""
        poorest: cython.int = self.owner[0]
        least: cython.double = self.promise(poorest)
        for s in range(1, self.n_active):
            leaf = self.owner[s]
            promise = self.promise(leaf)
            if promise < least or (promise == least and leaf < poorest):
                poorest = leaf
                least = promise
        return poorest

    def hand_over(self, active, leaf):
        """Make an active leaf inactive, and another one active in its slot."""
        s = self.slot[active]
        self.slot[active] = -1
        self._settle(leaf, s)

    def _settle(self, leaf, s):
        self.slot[leaf] = s
        self.owner[s] = leaf
        self.weight[s, :] = 0.0
        self.mean[s, :, :] = 0.0
        self.m2[s, :, :] = 0.0
        self.low[s, :, :] = 0.0
        self.high[s, :, :] = 0.0
        self.counts[s, :, :] = 0.0
        if self.gaps:
            self.known[s, :, :] = 0.0
        self.stale[s, :] = 1

    def divide(self, leaf: cython.int):
        """Split an active leaf into two; return the new one, which is the right side.

        The left side keeps the old number. The class weights of the sides are in ``left[2:]``. Both
        start active and empty; if that makes too many, the poorest of all leaves gives its slot up.
        """
        if self.n_leaves == len(self.depth):
            self._rebuild(2, slice(None), self.n_classes)
        return self._divide(leaf)

    def _divide(self, leaf):
        new = self.n_leaves
        s = self.slot[leaf]
        for c in range(self.n_classes):
            self.class_weight[new, c] = self.left[3, c]
            self.class_weight[leaf, c] = self.left[2, c]
        self.depth[leaf] += 1
        self.depth[new] = self.depth[leaf]
        self.since_check[leaf] = 0.0
        self.majority_right[leaf] = 0.0
        self.bayes_right[leaf] = 0.0
        self._settle(leaf, s)
        self.slot[new] = -1
        self.n_leaves = new + 1
        if self.n_active < self.owner.shape[0]:
            self._settle(new, self.n_active)
            self.n_active += 1
        else:
            poorest = self.poorest()
            if self.promise(new) >= self.promise(poorest):
                self.hand_over(poorest, new)
        return new

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        left = np.zeros((6, n_classes))
        self._rebuild(1, np.asarray(positions), n_classes)
        self.left, self.surprise = left, 0.0
