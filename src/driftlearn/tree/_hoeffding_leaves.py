# cython: infer_types=True
"""What the leaves of a Hoeffding tree know, and what they say of a row."""

import cython
import numpy as np
from cython.cimports.libc.math import log

if not cython.compiled:
    from driftlearn.tree._leaf_arrays import LeafArrays
    from driftlearn.utils._normal_sums import softmax, sum_of_logs, sum_without_gaps
    from driftlearn.utils._row_pointers import place_at, place_at_3d

from driftlearn.tree._leaf_arrays import check_codes

LOG_2PI = cython.declare(cython.double, log(2.0 * np.pi))
INF = cython.declare(cython.double, np.inf)
NAN = cython.declare(cython.double, np.nan)
# added to all variances; what has no other in a class is constant there
LEAST = cython.declare(cython.double, 1e-9)
# what a row of `tallies` begins with, before the class weights
SINCE = cython.declare(cython.int, 0)
MAJORITY = cython.declare(cython.int, 1)
BAYES = cython.declare(cython.int, 2)
CLASSES = cython.declare(cython.int, 3)
# what a row of `sums` begins with, before the statistics of attributes
WEIGHT = cython.declare(cython.int, 0)
CONSTANT = cython.declare(cython.int, 1)
MEAN = cython.declare(cython.int, 2)


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

    The class weights of a leaf include what it inherited from the split that made it; the weights
    of a slot count only rows it saw itself, as all other statistics do. From the first missing
    value on ``known[slot, c, f]`` is the weight of those that had attribute f. What naive Bayes
    makes of a class, its constant, is nan until it is asked for.

    Naive Bayes compares the classes of which the leaf has seen a row itself; before any row it says
    what the class weights say. An attribute that has always had the same value in a class counts
    as 1 where a row has that value, and next to nothing where not: a density would be the higher
    the fewer rows there were.

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
        other.places, other.tallies = self.places.copy(), self.tallies.copy()
        other.owner, other.sums = self.owner.copy(), self.sums.copy()
        other.counts = np.array(self.counts) if self.any_nominal else self.counts  # it is empty
        if self.gaps:
            other.known = self.known.copy()
        other.left, other.surprise = self.left.copy(), self.surprise
        return other

    def admit(self, row):
        """Make room for the nominal values of a row; raise if one is no code."""
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
        """Add a row of class `y` and weight `w` to what its leaf knows."""
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
        """Learn a row that may lack attributes, of which those before `start` are learned."""
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
        """Add a value to the statistics of an attribute, of rows that now weigh `n`."""
        mean = MEAN + f
        m2 = mean + self.n_features
        low = m2 + self.n_features
        high = low + self.n_features
        d = x - sums[mean]
        sums[mean] += d * w / n if w < n else d
        sums[m2] += w * d * (x - sums[mean])
        if first or x < sums[low]:
            sums[low] = x
        if first or x > sums[high]:
            sums[high] = x

    def majority(self, leaf):
        """Return the heaviest class, the lowest code on ties; -1 for an empty leaf."""
        best: cython.int = -1
        heaviest: cython.double = 0.0
        tally = place_at(self.tallies, leaf)
        for c in range(self.n_classes):
            if tally[CLASSES + c] > heaviest:
                best = c
                heaviest = tally[CLASSES + c]
        return best

    def most_probable(self, leaf, row):
        """Return an active leaf's naive Bayes class of a row, as `majority` does."""
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
        """Write the shares of the classes at a leaf."""
        total: cython.double = 0.0
        tally = place_at(self.tallies, leaf)
        for c in range(self.n_classes):
            total += tally[CLASSES + c]
        for c in range(self.n_classes):
            out[c] = tally[CLASSES + c] / total if total > 0.0 else 0.0

    def probabilities(self, leaf, row, out):
        """Write an active leaf's naive Bayes probabilities of a row; return the best class."""
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
        """Return naive Bayes' log posterior of a class met here, up to a constant of the leaf.

        It is nan if the row lacks an attribute: callers ask `_log_posterior_with_gaps` then, since
        handing a row on costs something even where it does not come to it.
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
        """Return the logarithm of the share of a class's rows that have a value; 0 of none."""
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
        """Work out the variances of a class met here, and its constant."""
        n_varying: cython.int = 0
        sums = place_at_3d(self.sums, s, c, 0)
        n = sums[WEIGHT]
        m2: cython.Py_ssize_t = MEAN + self.n_features
        variance: cython.Py_ssize_t = MEAN + 4 * self.n_features
        for f in range(self.n_features):
            if not (self.any_nominal and self.nominal[f]):
                v = max(sums[m2 + f], 0.0) / n + LEAST
                sums[variance + f] = v
                n_varying += v > LEAST
        if self.gaps:
            n_varying = self._refresh_with_gaps(s, c)
        logs = sum_of_logs(sums, variance, self.n_features, LEAST)
        prior = log(self.tallies[self.owner[s], CLASSES + c])
        sums[CONSTANT] = prior - 0.5 * (n_varying * LOG_2PI + logs)

    def _refresh_with_gaps(self, s, c):
        """Write the variances of a class, infinite for attributes without; return how many vary."""
        n_varying: cython.int = 0
        sums = place_at_3d(self.sums, s, c, 0)
        m2: cython.Py_ssize_t = MEAN + self.n_features
        variance: cython.Py_ssize_t = MEAN + 4 * self.n_features
        for f in range(self.n_features):
            n = self.known[s, c, f]
            if self.nominal[f] or n == 0.0:
                sums[variance + f] = INF
            else:
                v = max(sums[m2 + f], 0.0) / n + LEAST
                sums[variance + f] = v
                n_varying += v > LEAST
        return n_varying

    def mass(self, leaf):
        """Return the weight of a leaf, and how many classes it has."""
        total: cython.double = 0.0
        n_seen: cython.int = 0
        for c in range(self.n_classes):
            total += self.tallies[leaf, CLASSES + c]
            n_seen += self.tallies[leaf, CLASSES + c] > 0.0
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
        """Say whether there is room for one more leaf."""
        return self.n_leaves < self.places.shape[0]

    def make_room(self):
        """Have room for one more leaf."""
        if not self.has_room():
            self._rebuild(4 if self.n_leaves < 16 else 2, slice(None), self.n_classes)

    def divide(self, leaf):
        """Split an active leaf into two, for which there is room; return the new, right one.

        The left side keeps the old number. The class weights of the sides are in ``left[2:]``. Both
        start active and empty; if that makes too many, the poorest of all leaves gives its slot up.
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
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        left = np.zeros((6, n_classes))
        self._rebuild(1, np.asarray(positions), n_classes)
        self.left, self.surprise = left, 0.0
