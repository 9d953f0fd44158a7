# cython: infer_types=True
"""The arrays in which the leaves of a Hoeffding tree keep what they know."""

import cython
import numpy as np

from driftlearn._schema import LARGEST, Misfit, floats, integers, newer

MAX_CODE = 65535
OF_LEAVES = "depth", "since_check", "majority_right", "bayes_right", "slot", "class_weight"
OF_SLOTS = "weight", "mean", "m2", "low", "high", "counts"


@cython.cclass
class LeafArrays:
    """Room for the leaves of one tree: arrays that double when full, within a bound of memory.

    Parameters and notes are those of `driftlearn.engines.hoeffding_leaves.HoeffdingLeaves`.
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
        self.surprise = 0.0
        one, wide = (1, n_classes), (1, n_classes, n_features)
        self.depth, self.slot, self.owner = np.zeros((3, 1), dtype=np.int32)
        self.since_check, self.majority_right, self.bayes_right = np.zeros((3, 1))
        self.class_weight, self.weight, self.constant = np.zeros((3, *one))
        self.mean, self.m2, self.low, self.high = np.zeros((4, *wide))
        self.counts = np.zeros((*one, offset[n_features]))
        self.variance, self.stale = np.full(wide, np.inf), np.ones(one, dtype=np.uint8)

    def promise(self, leaf):
        """Return the weight of a leaf that is not of its heaviest class."""
        total: cython.double = 0.0
        heaviest: cython.double = 0.0
        for c in range(self.n_classes):
            total += self.class_weight[leaf, c]
            heaviest = max(heaviest, self.class_weight[leaf, c])
        return total - heaviest

    def expect_gaps(self):
        """Count from now on, for each attribute, the weight of the rows that have it."""
        self.known = np.repeat(np.asarray(self.weight)[:, :, None], self.n_features, axis=2)
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
        for name, old in self._arrays(self.of_slots).items():
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
        by_class += 8 * self.n_features if self.gaps else 0
        return len(self.depth) * (4 * 2 + 8 * 3 + 8 * n) + len(self.owner) * (4 + by_class * n)

    def get_state(self):
        """Return everything the leaves know: a dict of arrays."""
        return {
            "nominal": np.array(self.nominal),
            "n_values": np.array(self.n_values),
            "offset": np.array(self.offset),
            **{name: a[: self.n_leaves].copy() for name, a in self._arrays(OF_LEAVES).items()},
            **{name: a[: self.n_active].copy() for name, a in self._arrays(self.of_slots).items()},
        }

    def set_state(self, state):
        """Become the leaves whose `get_state` this was; without slots, all are active."""
        state = {"slot": np.arange(len(state["depth"])), **state}
        self.n_leaves = len(state["depth"])
        self.offset = np.array(state["offset"], dtype=np.int32)
        if "known" in state:
            self.expect_gaps()
        arrays = self._arrays(OF_LEAVES + self.of_slots).items()
        new = {name: np.array(state[name], dtype=old.dtype) for name, old in arrays}
        active = np.flatnonzero(new["slot"] >= 0)
        new["owner"] = active[np.argsort(new["slot"][active])].astype(np.int32)
        self._take(new)
        self.n_active = len(active)

    def _arrays(self, names):
        return {name: np.asarray(getattr(self, name)) for name in names}

    def _take(self, arrays):
        """Have these arrays, and make what follows from them before the first is taken."""
        variance = np.full(arrays["mean"].shape, np.inf)
        constant = np.zeros(arrays["weight"].shape)
        stale = np.ones(arrays["weight"].shape, dtype=np.uint8)
        for name, array in arrays.items():
            setattr(self, name, array)
        self.variance, self.constant, self.stale = variance, constant, stale


def check_leaves(state):
    """Raise ValueError unless leaves out of a file have their statistics, and nominal values."""
    slot = state.get("slot", np.arange(len(state["depth"])))
    n_slots = len(state["weight"])
    if n_slots == 0 or not np.array_equal(np.sort(slot[slot >= 0]), np.arange(n_slots)):
        raise Misfit("the active leaves of a tree are not those that have statistics")
    offset, d = state["offset"], state["n_features"]
    room = np.diff(offset)
    if (
        len(room) != d or offset[0] != 0 or offset[d] != state["counts"].shape[2]
        or (room < 0).any() or (state["n_values"] > room).any()
    ):  # fmt: skip
        raise Misfit("the nominal values of a tree have no room")


def check_codes(values):
    """Raise unless all values of nominal attributes are codes, or missing."""
    known = values[~np.isnan(values)]
    bad = known[~((known >= 0) & (known <= MAX_CODE) & (known == np.floor(known)))]
    if bad.size:
        raise ValueError(f"nominal values are integers from 0 to {MAX_CODE}, got {bad[0]}")
