# cython: infer_types=True
"""Arrays with the statistics of the leaves of a Hoeffding tree."""

from operator import lt, sub

import cython
import numpy as np

from driftlearn.base.validation import MAX_CODE
from driftlearn.io.schema import LARGEST, InvalidStateError, floats, integers, newer

if not cython.compiled:
    SINCE, MAJORITY, BAYES, CLASSES = range(4)  # columns of `tallies`; class weights come last
    WEIGHT, CONSTANT, MEAN = range(3)  # columns of `sums`; attribute statistics come last

OF_LEAVES = "depth", "since_check", "majority_right", "bayes_right", "slot", "class_weight"
OF_SLOTS = "weight", "mean", "m2", "low", "high", "counts"


@cython.cclass
class LeafArrays:
    """Storage for the leaves of one tree: growing arrays within a memory limit.

    Parameters and notes are those of `driftlearn.tree._hoeffding_leaves.HoeffdingLeaves`.

    Values that are used together are adjacent in memory. A row of `places` contains depth and slot
    of a leaf. A row of `tallies` contains the weight since the last split attempt, the weights that
    the majority class and naive Bayes predicted correctly, and the class weights. A row of `sums`,
    for a slot and a class, contains the weight, the naive Bayes constant, and for each attribute
    mean, sum of squared deviations, minimum, maximum and variance.
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
        "known": newer(floats("slots", "n_classes", "n_features", least=0)),
    }

    def __init__(self, n_features, n_classes, nominal, n_values, max_bytes):
        self.max_bytes = max_bytes
        self.n_features = n_features
        self.n_classes = n_classes
        nominal = np.array(nominal, dtype=np.uint8)
        values, offset = np.zeros(n_features, dtype=np.int32), np.zeros(n_features + 1, np.int32)
        self.any_nominal = nominal.any()
        if self.any_nominal:
            values[:] = np.where(nominal, n_values, 0)
            np.cumsum(values, out=offset[1:])
        self.nominal, self.n_values, self.offset = nominal, values, offset
        self.n_leaves = self.n_active = 1
        self.of_slots = OF_SLOTS
        self.gaps = False
        self.left = np.zeros((6, n_classes))
        self.entropy = 0.0
        self.places, self.tallies, self.sums = _blank(1, 1, n_classes, n_features)
        self.owner = np.zeros(1, dtype=np.int32)
        self.counts = np.zeros((1, n_classes, offset[n_features]))

    def promise(self, leaf):
        """Return the weight of all classes of a leaf but the largest."""
        total: cython.double = 0.0
        heaviest: cython.double = 0.0
        for c in range(self.n_classes):
            total += self.tallies[leaf, CLASSES + c]
            heaviest = max(heaviest, self.tallies[leaf, CLASSES + c])
        return total - heaviest

    def expect_gaps(self):
        """Start counting, for each attribute, the weight of the rows that have it.

        All rows before the first missing value had every attribute.
        """
        self.known = np.repeat(np.asarray(self.sums)[:, :, :1], self.n_features, axis=2)
        self.of_slots = (*OF_SLOTS, "known")
        self.gaps = True

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
        """Copy everything into new arrays.

        All new arrays are allocated before the first is used, so that a MemoryError leaves the
        object unchanged.

        Parameters
        ----------
        growth : int
            Factor by which the capacity for leaves grows.
        positions : int array or slice
            New positions of the classes.
        n_classes : int
            New number of classes.
        n_values, room : int arrays of shape (n_features,), optional
            Number of values of each nominal attribute, and capacity for values where `max_bytes`
            allows it.
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
        owner = np.zeros(capacity, dtype=np.int32)
        owner[:n] = leaves
        blank = _blank(growth * len(self.places), capacity, n_classes, self.n_features)
        new = _views(*blank, self.n_features)
        for name, old in self.arrays(OF_LEAVES).items():
            place = slice(self.n_leaves), *[positions] * (old.ndim - 1)
            new[name][place] = old[: self.n_leaves]
        new["slot"][:] = -1
        new["slot"][leaves] = np.arange(n)
        new["counts"] = np.zeros((capacity, n_classes, offset[self.n_features]))
        if self.gaps:
            new["known"] = np.zeros((capacity, n_classes, self.n_features))
        for name, old in self.arrays(self.of_slots).items():
            if name != "counts":
                new[name][:n, positions] = old[kept]
        for f in np.flatnonzero(self.nominal) if self.any_nominal else ():
            size = self.n_values[f]
            old = np.asarray(self.counts)[kept, :, before[f] : before[f] + size]
            new["counts"][:n, positions, offset[f] : offset[f] + size] = old
        self._take(blank, owner, new)
        self.n_active, self.n_classes = n, n_classes
        self.n_values, self.offset = n_values, offset

    def _most_active(self, n_classes, n_values):
        """Return the maximum number of active leaves."""
        size = self._slot_bytes(n_classes, n_values)
        return max(1, min(self.max_bytes // size, LARGEST)) if size else LARGEST

    def _slot_bytes(self, n_classes, n_values):
        n_values = int(np.sum(n_values)) if self.any_nominal else 0
        return 8 * int(n_classes) * (1 + 4 * int(self.n_features) + n_values)

    def _kept(self, most):
        """Return the slots of the `most` most promising leaves, which stay active."""
        if self.n_active <= most:
            return slice(self.n_active)
        leaves = np.asarray(self.owner)[: self.n_active]
        promises = [self.promise(leaf) for leaf in leaves]
        return np.sort(np.lexsort((leaves, promises))[len(leaves) - most :])

    @property
    def n_bytes(self):
        """Memory of all arrays in bytes, including unused capacity."""
        n: cython.longlong = self.n_classes
        by_class: cython.longlong = 8 * (2 + 5 * self.n_features + self.offset[self.n_features])
        by_class += 8 * self.n_features if self.gaps else 0
        return len(self.places) * (4 * 2 + 8 * 3 + 8 * n) + len(self.owner) * (4 + by_class * n)

    def get_state(self):
        """Return the state as a dict of arrays."""
        return {
            "nominal": np.array(self.nominal),
            "n_values": np.array(self.n_values),
            "offset": np.array(self.offset),
            **{name: a[: self.n_leaves].copy() for name, a in self.arrays(OF_LEAVES).items()},
            **{name: a[: self.n_active].copy() for name, a in self.arrays(self.of_slots).items()},
        }

    def set_state(self, state):
        """Restore a state returned by `get_state`; without ``slot``, all leaves are active."""
        state = {"slot": np.arange(len(state["depth"])), **state}
        self.n_leaves = len(state["depth"])
        self.offset = np.array(state["offset"], dtype=np.int32)
        if "known" in state:
            self.expect_gaps()
        blank = _blank(self.n_leaves, len(state["weight"]), self.n_classes, self.n_features)
        new = _views(*blank, self.n_features)
        for name in OF_LEAVES + self.of_slots:
            if name in new:
                new[name][:] = state[name]
            else:
                new[name] = np.array(state[name], dtype=float)
        active = np.flatnonzero(new["slot"] >= 0)
        self._take(blank, active[np.argsort(new["slot"][active])].astype(np.int32), new)
        self.n_active = len(active)

    def arrays(self, names):
        """Return writable views of these entries of `STATE`, including unused capacity."""
        views = _views(self.places, self.tallies, self.sums, self.n_features)
        others = {"counts": self.counts, "known": self.known if self.gaps else None}
        return {name: views[name] if name in views else np.asarray(others[name]) for name in names}

    def _take(self, arrays, owner, others):
        """Install `places`, `tallies` and `sums`, the owners of slots, and the other arrays."""
        self.places, self.tallies, self.sums = arrays
        self.owner, self.counts = owner, others["counts"]
        if self.gaps:
            self.known = others["known"]


def _blank(n_leaves, n_slots, n_classes, n_features):
    """Return empty `places`, `tallies` and `sums`."""
    sums = np.zeros((n_slots, n_classes, MEAN + 5 * n_features))
    sums[:, :, CONSTANT] = np.nan
    sums[:, :, MEAN + 4 * n_features :] = np.inf  # variances
    tallies = np.zeros((n_leaves, CLASSES + n_classes))
    return np.zeros((n_leaves, 2), dtype=np.int32), tallies, sums


def _views(places, tallies, sums, d):
    """Return views of the parts of these arrays by name."""
    places, tallies, sums = np.asarray(places), np.asarray(tallies), np.asarray(sums)
    statistics = [sums[:, :, MEAN + k * d : MEAN + (k + 1) * d] for k in range(4)]
    return {
        "depth": places[:, 0],
        "slot": places[:, 1],
        "since_check": tallies[:, SINCE],
        "majority_right": tallies[:, MAJORITY],
        "bayes_right": tallies[:, BAYES],
        "class_weight": tallies[:, CLASSES:],
        "weight": sums[:, :, WEIGHT],
        **dict(zip(("mean", "m2", "low", "high"), statistics)),
    }


def check_leaves(state):
    """Raise ValueError unless leaf slots, statistics and nominal values are consistent."""
    slots = state["slot"].tolist() if "slot" in state else range(len(state["depth"]))
    active = sorted(filter(_is_slot, slots))  # for short inputs, lists are faster than arrays
    if not active or active != list(range(len(state["weight"]))):
        raise InvalidStateError("the active leaves of the tree do not match the stored statistics")
    offset = state["offset"].tolist()
    room = list(map(sub, offset[1:], offset))
    n_values = state["n_values"].tolist()
    if (
        len(room) != state["n_features"] or len(n_values) != len(room)
        or offset[:1] != [0] or offset[len(room) :] != [state["counts"].shape[2]]
        or any(map(lt, room, n_values)) or sorted(offset) != offset
    ):  # fmt: skip
        raise InvalidStateError("the counts of nominal values do not match 'n_values' and 'offset'")


def _is_slot(place):
    return place >= 0
