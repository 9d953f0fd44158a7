# cython: infer_types=True
"""What the leaves of a Hoeffding tree know, and what they say of a row."""

import cython
import numpy as np
from cython.cimports.libc.math import log

if not cython.compiled:
    from driftlearn.engines.naive_bayes import softmax, sum_of_logs

from driftlearn._schema import LARGEST, floats, integers, newer

LOG_2PI = cython.declare(cython.double, log(2.0 * np.pi))
INF = cython.declare(cython.double, np.inf)
MAX_CODE = 65535
OF_LEAVES = "depth", "since_check", "majority_right", "bayes_right", "slot", "class_weight"
OF_SLOTS = "weight", "mean", "m2", "low", "high", "counts"


@cython.cclass
class HoeffdingLeaves:
    """The leaves of one tree, as arrays that double when full.

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
    ``weight[slot, c]`` counts only rows it saw itself, as all other statistics do.

    A leaf promises the weight that is not of its largest class. The active leaf that promises least
    is found by a look at each, at splits and once in `grace_period` rows of an inactive leaf.
    """

    STATE = {
        "nominal": integers("n_features", least=0, below=2),
        "n_values": integers("n_features", least=0, below=MAX_CODE + 2),
        "offset": integers("features and one", least=0),
        "depth": integers("leaves", least=0, below=2**30),
        "since_check": floats("leaves"),
        "majority_right": floats("leaves"),
        "bayes_right": floats("leaves"),
        "class_weight": floats("leaves", "n_classes"),
        "weight": floats("slots", "n_classes"),
        "mean": floats("slots", "n_classes", "n_features"),
        "m2": floats("slots", "n_classes", "n_features"),
        "low": floats("slots", "n_classes", "n_features"),
        "high": floats("slots", "n_classes", "n_features"),
        "counts": floats("slots", "n_classes", "values"),
        "slot": newer(integers("leaves", least=-1)),
    }

    def __init__(self, n_features, n_classes, nominal, n_values, max_bytes):
        self.max_bytes = max_bytes
        self.n_features = n_features
        self.n_classes = n_classes
        self.nominal = np.array(nominal, dtype=np.uint8)
        self.n_values = np.where(self.nominal, n_values, 0).astype(np.int32)
        self.any_nominal = np.any(self.nominal)
        self.offset = np.append(0, np.cumsum(self.n_values)).astype(np.int32)
        self.n_leaves = self.n_active = 1
        self.left = np.zeros((3, n_classes))
        self._take(
            {
                **{name: np.zeros(1, dtype=np.int32) for name in ("depth", "slot", "owner")},
                **{name: np.zeros(1) for name in ("since_check", "majority_right", "bayes_right")},
                **{name: np.zeros((1, n_classes)) for name in ("class_weight", "weight")},
                **{name: np.zeros((1, n_classes, n_features)) for name in OF_SLOTS[1:5]},
                "counts": np.zeros((1, n_classes, np.sum(self.n_values))),
            }
        )

    def admit(self, X, i):
        """Make room for the nominal values of a row; raise if one is no code."""
        for f in range(self.n_features):
            if self.nominal[f]:
                x = X[i, f]
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
            return
        first: cython.bint = self.weight[s, y] == 0.0
        self.weight[s, y] += w
        self.stale[s, y] = True
        n = self.weight[s, y]
        for f in range(self.n_features):
            x = X[i, f]
            if self.nominal[f]:
                self.counts[s, y, self.offset[f] + cython.cast(cython.int, x)] += w
                continue
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
        """Write an active leaf's naive Bayes class probabilities of a row."""
        s = self.slot[leaf]
        for c in range(self.n_classes):
            if self.class_weight[leaf, c] > 0.0:
                out[c] = self.log_posterior(s, X, i, c)
            else:
                out[c] = -INF
        softmax(out)

    def log_posterior(self, s, X, i, c):
        """Return naive Bayes' log posterior of a class, up to a constant of the leaf."""
        if self.stale[s, c]:
            self._refresh(s, c)
        n = self.weight[s, c]
        if n == 0.0:
            return self.constant[s, c]
        quadratic: cython.double = 0.0
        nominal: cython.double = 0.0
        for f in range(self.n_features):
            x = X[i, f]
            if self.nominal[f]:
                count = 0.0
                if x >= 0.0 and x < self.n_values[f]:
                    count = self.counts[s, c, self.offset[f] + cython.cast(cython.int, x)]
                nominal += log((count + 1.0) / (n + self.n_values[f]))
            else:
                d = x - self.mean[s, c, f]
                quadratic += d * d / self.variance[s, c, f]
        return self.constant[s, c] + nominal - 0.5 * quadratic

    def _refresh(self, s, c):
        n_numeric: cython.int = 0
        n = self.weight[s, c]
        constant: cython.double = log(self.class_weight[self.owner[s], c])
        if n > 0.0:
            for f in range(self.n_features):
                if not self.nominal[f]:
                    self.variance[s, c, f] = max(self.m2[s, c, f], 0.0) / n + 1e-9
                    n_numeric += 1
            constant -= 0.5 * (n_numeric * LOG_2PI + sum_of_logs(self.variance[s], c))
        self.constant[s, c] = constant
        self.stale[s, c] = False

    def mass(self, leaf):
        """Return the weight of a leaf, and how many classes it has."""
        total: cython.double = 0.0
        n_seen: cython.int = 0
        for c in range(self.n_classes):
            total += self.class_weight[leaf, c]
            n_seen += self.class_weight[leaf, c] > 0.0
        return total, n_seen

    def promise(self, leaf):
        """Return the weight of a leaf that is not of its heaviest class."""
        total: cython.double = 0.0
        heaviest: cython.double = 0.0
        for c in range(self.n_classes):
            total += self.class_weight[leaf, c]
            heaviest = max(heaviest, self.class_weight[leaf, c])
        return total - heaviest

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
        self.stale[s, :] = 1

    def divide(self, leaf: cython.int):
        """Split an active leaf into two; return the new one, which is the right side.

        The left side keeps the old number and gets the class weights that are in ``left[2]``. Both
        start active and empty; if that makes too many, the poorest of all leaves gives its slot up.
        """
        if self.n_leaves == len(self.depth):
            self._rebuild(2, slice(None), self.n_classes)
        return self._divide(leaf)

    def _divide(self, leaf):
        new = self.n_leaves
        s = self.slot[leaf]
        for c in range(self.n_classes):
            self.class_weight[new, c] = self.weight[s, c] - self.left[2, c]
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
        left = np.zeros((3, n_classes))
        self._rebuild(1, np.asarray(positions), n_classes)
        self.left = left

    def _more_values(self, f: cython.int, n: cython.int):
        n_values, room = np.array(self.n_values), np.diff(self.offset)
        n_values[f] = n
        if n > room[f]:
            room[f] = max(n, 2 * room[f])
        elif self._most_active(self.n_classes, n_values) >= len(self.owner):
            self.n_values[f] = n
            return
        self._rebuild(1, slice(None), self.n_classes, n_values, room)

    def _rebuild(self, growth, positions, n_classes, n_values=None, room=None):
        """Put everything into new arrays, which are all made before the first is taken.

        Parameters
        ----------
        growth : int
            How many times as many leaves there is to be room for.
        positions : int array or slice
            Where classes go, of which there are `n_classes` now.
        n_values, room : int arrays of shape (n_features,), optional
            The values of each nominal attribute, and room for so many if `max_bytes` allows it.
        """
        n_values = np.array(self.n_values) if n_values is None else n_values
        most = self._most_active(n_classes, n_values)
        kept = self._kept(most) if growth == 1 else slice(self.n_active)
        leaves = np.asarray(self.owner)[kept]
        n, capacity = len(leaves), max(len(leaves), min(growth * len(self.owner), most))
        before = offset = np.asarray(self.offset)
        if self.any_nominal:
            room = np.diff(before) if room is None else room
            if capacity * self._slot_bytes(n_classes, room) > self.max_bytes:
                room = n_values
            offset = np.append(0, np.cumsum(room)).astype(np.int32)
        new = {"owner": np.zeros(capacity, dtype=np.int32)}
        new["owner"][:n] = leaves
        for name, old in self._arrays(OF_LEAVES).items():
            new[name] = np.zeros((growth * len(old), *[n_classes] * (old.ndim - 1)), old.dtype)
            new[name][(slice(self.n_leaves), *[positions] * (old.ndim - 1))] = old[: self.n_leaves]
        new["slot"][:] = -1
        new["slot"][leaves] = np.arange(n)
        for name, old in self._arrays(OF_SLOTS).items():
            width = [offset[self.n_features]] if name == "counts" else old.shape[2:]
            new[name] = np.zeros((capacity, n_classes, *width))
            if name != "counts":
                new[name][:n, positions] = old[kept]
        for f in np.flatnonzero(self.nominal) if self.any_nominal else ():
            size = self.n_values[f]
            old = np.asarray(self.counts)[kept, :, before[f] : before[f] + size]
            new["counts"][:n, positions, offset[f] : offset[f] + size] = old
        self._take(new)
        self.n_active, self.n_classes = n, n_classes
        self.n_values, self.offset = n_values, offset

    def _most_active(self, n_classes, n_values):
        """Return how many leaves may be active."""
        size = self._slot_bytes(n_classes, n_values)
        return max(1, min(self.max_bytes // size, LARGEST)) if size else LARGEST

    def _slot_bytes(self, n_classes, n_values):
        n_values = int(np.sum(n_values)) if self.any_nominal else 0
        return 8 * int(n_classes) * (1 + 4 * int(self.n_features) + n_values)

    def _kept(self, most):
        """Return the slots of those that stay active when no more than `most` may."""
        if self.n_active <= most:
            return slice(self.n_active)
        leaves = np.asarray(self.owner)[: self.n_active]
        promises = [self.promise(leaf) for leaf in leaves]
        return np.sort(np.lexsort((leaves, promises))[len(leaves) - most :])

    @property
    def n_bytes(self):
        """Bytes that all arrays take, with the room for leaves to come."""
        n: cython.longlong = self.n_classes
        by_class: cython.longlong = 8 * (2 + 5 * self.n_features + self.offset[self.n_features]) + 1
        return len(self.depth) * (4 * 2 + 8 * 3 + 8 * n) + len(self.owner) * (4 + by_class * n)

    def get_state(self):
        """Return everything the leaves know: a dict of arrays."""
        return {
            "nominal": np.array(self.nominal),
            "n_values": np.array(self.n_values),
            "offset": np.array(self.offset),
            **{name: a[: self.n_leaves].copy() for name, a in self._arrays(OF_LEAVES).items()},
            **{name: a[: self.n_active].copy() for name, a in self._arrays(OF_SLOTS).items()},
        }

    def set_state(self, state):
        """Become the leaves whose `get_state` this was; without slots, all are active."""
        state = {"slot": np.arange(len(state["depth"])), **state}
        self.n_leaves = len(state["depth"])
        self.offset = np.array(state["offset"], dtype=np.int32)
        arrays = self._arrays(OF_LEAVES + OF_SLOTS).items()
        new = {name: np.array(state[name], dtype=old.dtype) for name, old in arrays}
        active = np.flatnonzero(new["slot"] >= 0)
        new["owner"] = active[np.argsort(new["slot"][active])].astype(np.int32)
        self._take(new)
        self.n_active = len(active)

    def _arrays(self, names):
        return {name: np.asarray(getattr(self, name)) for name in names}

    def _take(self, arrays):
        """Have these arrays, and make what follows from them before the first is taken."""
        variance = np.ones(arrays["mean"].shape)
        constant = np.zeros(arrays["weight"].shape)
        stale = np.ones(arrays["weight"].shape, dtype=np.uint8)
        for name, array in arrays.items():
            setattr(self, name, array)
        self.variance, self.constant, self.stale = variance, constant, stale


def check_codes(values):
    """Raise unless all values of nominal attributes are codes."""
    bad = values[~((values >= 0) & (values <= MAX_CODE) & (values == np.floor(values)))]
    if bad.size:
        raise ValueError(f"nominal values are integers from 0 to {MAX_CODE}, got {bad[0]}")
