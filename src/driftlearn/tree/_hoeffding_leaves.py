# cython: infer_types=True
"""Statistics and predictions of the leaves of a Hoeffding tree."""

import cython
import numpy as np
from cython.cimports.libc.math import log

if not cython.compiled:
    from driftlearn.tree._leaf_arrays import (
        CLASSES,
        CONSTANT,
        MEAN,
        SINCE,
        WEIGHT,
        LeafArrays,
    )  # fmt: skip
    from driftlearn.utils._normal_sums import softmax, sum_of_logs, sum_without_gaps
    from driftlearn.utils._row_pointers import place_at, place_at_3d

from driftlearn.base.validation import check_codes

LOG_2PI = cython.declare(cython.double, log(2.0 * np.pi))
INF = cython.declare(cython.double, np.inf)
NAN = cython.declare(cython.double, np.nan)
# Added to all variances. An attribute with exactly this variance is constant within a class.
LEAST = cython.declare(cython.double, 1e-9)


@cython.cclass
class HoeffdingLeaves(LeafArrays):
    """The leaves of a Hoeffding tree: training, predictions and splits.

    Every leaf has class weights. An *active* leaf also has a slot with the statistics that splits
    and naive Bayes need. If `max_bytes` does not allow more slots, the most promising leaves are
    active; the others are *inactive*, and their statistics are discarded.

    Parameters
    ----------
    n_features, n_classes : int
        Number of features and classes.
    nominal : uint8 array of shape (n_features,)
        1 for nominal attributes.
    n_values : int array of shape (n_features,)
        Number of values of each nominal attribute; increases when a larger code occurs.
    max_bytes : int
        Memory limit for the statistics of all leaves.

    Notes
    -----
    Leaves are numbered in the order of their creation, slots from 0 without gaps: ``slot[leaf]``
    is -1 for an inactive leaf, and ``owner[slot]`` is the leaf of a slot.

    The class weights of a leaf include the estimate inherited from the split that created it; the
    weights of a slot, like all other statistics, count only rows that the leaf was trained on.
    From the first missing value on, ``known[slot, c, f]`` is the weight of the rows that had
    attribute f. The naive Bayes constant of a class is nan until a prediction needs it.

    Naive Bayes compares the classes on which the leaf itself was trained; before the first row, it
    falls back on the class weights. An attribute with a single value in a class has the likelihood
    1 for that value and practically 0 for others, because a normal density would be larger for
    fewer rows.

    The promise of a leaf is the weight of all classes but its largest. The least promising active
    leaf is searched linearly, at splits and once per `grace_period` of an inactive leaf.
    """

    def copy(self):
        """Return an independent copy."""
        other: HoeffdingLeaves = HoeffdingLeaves.__new__(HoeffdingLeaves)
        other.n_features, other.n_classes = self.n_features, self.n_classes
        other.max_bytes, other.of_slots, other.gaps = self.max_bytes, self.of_slots, self.gaps
        # shared, since it is read-only
        other.nominal, other.any_nominal = self.nominal, self.any_nominal
        other.n_values, other.offset = self.n_values.copy(), self.offset
        other.n_leaves, other.n_active = self.n_leaves, self.n_active
        other.places, other.tallies = self.places.copy(), self.tallies.copy()
        other.owner, other.sums = self.owner.copy(), self.sums.copy()
        other.counts = np.array(self.counts) if self.any_nominal else self.counts  # shared if empty
        if self.gaps:
            other.known = self.known.copy()
        other.left, other.entropy = self.left.copy(), self.entropy
        return other

    def admit(self, row):
        """Extend the counts for the nominal values of a row; raise ValueError for invalid codes."""
        for f in range(self.n_features):
            if self.nominal[f]:
                x = row[f]
                if x != x:
                    continue
                if not (x >= 0.0 and x < self.n_values[f]) or x != cython.cast(cython.int, x):
                    with cython.gil:
                        check_codes(np.array([x]))
                        self._more_values(f, int(x) + 1)
        return 0

    def learn(self, leaf, row, y, w):
        """Update a leaf with a row of class `y` and weight `w`."""
        tally = place_at(self.tallies, leaf)
        tally[SINCE] += w
        tally[CLASSES + y] += w
        s = self.places[leaf, 1]
        if s < 0:
            return 0
        f: cython.Py_ssize_t = 0
        if not self.gaps:
            sums = place_at_3d(self.sums, s, y, 0)
            n = sums[WEIGHT] + w
            first: cython.bint = sums[WEIGHT] == 0.0
            x = row[0]
            while x == x:
                if self.any_nominal and self.nominal[f]:
                    self._count(s, y, f, x, w)
                else:
                    self._add(sums, f, x, w, n, first)
                f += 1
                if f == self.n_features:
                    sums[WEIGHT] = n
                    sums[CONSTANT] = NAN
                    return 0
                x = row[f]
        return self._learn_gaps(s, row, y, w, f)

    def _learn_gaps(self, s, row, y, w, start):
        """Update a leaf with a row with missing values, from attribute `start` on."""
        if not self.gaps:
            with cython.gil:
                self.expect_gaps()
        sums = place_at_3d(self.sums, s, y, 0)
        sums[WEIGHT] += w
        sums[CONSTANT] = NAN
        for f in range(self.n_features):
            if row[f] == row[f]:
                first: cython.bint = self.known[s, y, f] == 0.0
                self.known[s, y, f] += w
                if f >= start and self.nominal[f]:
                    self._count(s, y, f, row[f], w)
                elif f >= start:
                    self._add(sums, f, row[f], w, self.known[s, y, f], first)
        return 0

    def _count(self, s, y, f, x, w):
        """Add a value to the counts of a nominal attribute."""
        self.counts[s, y, self.offset[f] + cython.cast(cython.int, x)] += w

    def _add(self, sums, f, x, w, n, first):
        """Update the statistics of a numeric attribute; `n` is the weight including this row.

        Mean and sum of squares follow Welford's algorithm for weighted rows.
        """
        mean = MEAN + f
        m2 = mean + self.n_features
        low = m2 + self.n_features
        high = low + self.n_features
        d = x - sums[mean]
        # For the first row the mean is set to the value itself: d * w / n could differ in the last
        # bit and give a constant attribute a nonzero variance.
        sums[mean] += d * w / n if w < n else d
        sums[m2] += w * d * (x - sums[mean])
        if first or x < sums[low]:
            sums[low] = x
        if first or x > sums[high]:
            sums[high] = x

    def majority(self, leaf):
        """Return the majority class (the lowest code on ties), or -1 for an empty leaf."""
        best: cython.int = -1
        heaviest: cython.double = 0.0
        tally = place_at(self.tallies, leaf)
        for c in range(self.n_classes):
            if tally[CLASSES + c] > heaviest:
                best = c
                heaviest = tally[CLASSES + c]
        return best

    def most_probable(self, leaf, row):
        """Return the naive Bayes class of a row at an active leaf; the lowest code on ties."""
        best: cython.int = -1
        highest: cython.double = -INF
        s = self.places[leaf, 1]
        for c in range(self.n_classes):
            if self.sums[s, c, WEIGHT] > 0.0:
                value = self.log_posterior(s, row, c)
                if value != value:
                    value = self._log_posterior_with_gaps(s, row, c)
                if best < 0 or value > highest:
                    best = c
                    highest = value
        return best if best >= 0 else self.majority(leaf)

    def shares(self, leaf, out):
        """Write the class frequencies of a leaf."""
        total: cython.double = 0.0
        tally = place_at(self.tallies, leaf)
        for c in range(self.n_classes):
            total += tally[CLASSES + c]
        for c in range(self.n_classes):
            out[c] = tally[CLASSES + c] / total if total > 0.0 else 0.0

    def probabilities(self, leaf, row, out):
        """Write the naive Bayes probabilities of a row at an active leaf; return its class."""
        best: cython.int = -1
        s = self.places[leaf, 1]
        for c in range(self.n_classes):
            if self.sums[s, c, WEIGHT] > 0.0:
                out[c] = self.log_posterior(s, row, c)
                if out[c] != out[c]:
                    out[c] = self._log_posterior_with_gaps(s, row, c)
                if best < 0 or out[c] > out[best]:
                    best = c
            else:
                out[c] = -INF
        if best < 0:
            self.shares(leaf, out)
            return self.majority(leaf)
        softmax(out, self.n_classes)
        return best

    def log_posterior(self, s, row, c):
        """Return the naive Bayes log posterior of a class, up to a constant of the leaf.

        It is nan if the row has a missing value; callers then use `_log_posterior_with_gaps`.
        Callers do this check because passing the row on takes time even if it is not needed.
        """
        sums = place_at_3d(self.sums, s, c, 0)
        if sums[CONSTANT] != sums[CONSTANT]:
            self._refresh(s, c)
        quadratic: cython.double = 0.0
        nominal: cython.double = 0.0
        variance: cython.Py_ssize_t = MEAN + 4 * self.n_features
        if self.any_nominal:
            for f in range(self.n_features):
                if self.nominal[f]:
                    nominal += self._log_share(s, c, f, row[f])
                else:
                    d = row[f] - sums[MEAN + f]
                    quadratic += d * d / sums[variance + f]
        else:
            for f in range(self.n_features):
                d = row[f] - sums[MEAN + f]
                quadratic += d * d / sums[variance + f]
        return sums[CONSTANT] + nominal - 0.5 * quadratic

    def _log_share(self, s, c, f, x):
        """Return the log probability of a nominal value in a class, with Laplace smoothing.

        It is 0 for a missing value and for an attribute without values in the class.
        """
        count: cython.double = 0.0
        n = self.known[s, c, f] if self.gaps else self.sums[s, c, WEIGHT]
        if x != x or n == 0.0:
            return 0.0
        if x >= 0.0 and x < self.n_values[f]:
            count = self.counts[s, c, self.offset[f] + cython.cast(cython.int, x)]
        return log((count + 1.0) / (n + self.n_values[f]))

    def _log_posterior_with_gaps(self, s, row, c):
        nominal: cython.double = 0.0
        for f in range(self.n_features):
            if self.nominal[f]:
                nominal += self._log_share(s, c, f, row[f])
        mean = place_at_3d(self.sums, s, c, MEAN)
        variance = place_at_3d(self.sums, s, c, MEAN + 4 * self.n_features)
        total = sum_without_gaps(mean, variance, 0, row, self.n_features, LEAST)
        return log(self.tallies[self.owner[s], CLASSES + c]) + nominal - 0.5 * total

    def _refresh(self, s, c):
        """Compute the variances of a class that has rows at this leaf, and its constant.

        The variance of an attribute without values is infinite.
        """
        n_varying: cython.int = 0
        sums = place_at_3d(self.sums, s, c, 0)
        gaps: cython.bint = self.gaps
        m2: cython.Py_ssize_t = MEAN + self.n_features
        variance: cython.Py_ssize_t = MEAN + 4 * self.n_features
        for f in range(self.n_features):
            n: cython.double = self.known[s, c, f] if gaps else sums[WEIGHT]
            if not (self.any_nominal and self.nominal[f]) and n > 0.0:
                v = max(sums[m2 + f], 0.0) / n + LEAST
                sums[variance + f] = v
                n_varying += v > LEAST
            elif gaps:
                sums[variance + f] = INF
        logs = sum_of_logs(sums, variance, self.n_features, LEAST)
        prior = log(self.tallies[self.owner[s], CLASSES + c])
        sums[CONSTANT] = prior - 0.5 * (n_varying * LOG_2PI + logs)

    def mass(self, leaf):
        """Return the weight of a leaf and the number of its classes."""
        total: cython.double = 0.0
        n_seen: cython.int = 0
        for c in range(self.n_classes):
            total += self.tallies[leaf, CLASSES + c]
            n_seen += self.tallies[leaf, CLASSES + c] > 0.0
        return total, n_seen

    def poorest(self):
        """Return the least promising active leaf; the lowest number on ties."""
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
        """Deactivate a leaf and activate another one in its slot."""
        s = self.places[active, 1]
        self.places[active, 1] = -1
        self._settle(leaf, s)

    def _settle(self, leaf, s):
        self.places[leaf, 1] = s
        self.owner[s] = leaf
        for c in range(self.n_classes):
            sums = place_at_3d(self.sums, s, c, 0)
            for k in range(MEAN + 4 * self.n_features):
                sums[k] = 0.0
            sums[CONSTANT] = NAN
        self.counts[s, :, :] = 0.0
        if self.gaps:
            self.known[s, :, :] = 0.0

    def has_room(self):
        """Return whether the arrays have room for one more leaf."""
        return self.n_leaves < self.places.shape[0]

    def make_room(self):
        """Enlarge the arrays if they have no room for one more leaf."""
        if not self.has_room():
            # Small arrays grow by a factor of 4, which saves copies while a tree is young.
            self._rebuild(4 if self.n_leaves < 16 else 2, slice(None), self.n_classes)

    def divide(self, leaf):
        """Split an active leaf into two; return the number of the new, right leaf.

        The left leaf keeps the old number. The arrays must have room, see `make_room`. The class
        weights of the two sides are in ``left[2:]``. Both leaves start active with empty
        statistics; if no slot is free, the least promising leaf loses its slot.
        """
        new = self.n_leaves
        s = self.places[leaf, 1]
        for c in range(self.n_classes):
            self.tallies[new, CLASSES + c] = self.left[3, c]
            self.tallies[leaf, CLASSES + c] = self.left[2, c]
        self.places[leaf, 0] += 1
        self.places[new, 0] = self.places[leaf, 0]
        for k in range(CLASSES):
            self.tallies[leaf, k] = 0.0
        self._settle(leaf, s)
        self.places[new, 1] = -1
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
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        left = np.zeros((6, n_classes))
        self._rebuild(1, np.asarray(positions), n_classes)
        self.left, self.entropy = left, 0.0
