# cython: infer_types=True
"""What the leaves of a Hoeffding tree know, and what they say of a row."""

import cython
import numpy as np
from cython.cimports.libc.math import log

if not cython.compiled:
    from driftlearn.engines.naive_bayes import softmax, sum_of_logs

from driftlearn._schema import floats, integers

LOG_2PI = cython.declare(cython.double, log(2.0 * np.pi))
INF = cython.declare(cython.double, np.inf)
MAX_CODE = 65535
ARRAYS = (
    "depth", "since_check", "majority_right", "bayes_right", "class_weight", "weight",
    "mean", "m2", "low", "high", "counts",
)  # fmt: skip


@cython.cclass
class HoeffdingLeaves:
    """The leaves of one tree, as arrays whose first axis is the leaf and doubles when full.

    Parameters
    ----------
    n_features, n_classes : int
        Shape of the problem.
    nominal : uint8 array of shape (n_features,)
        1 for nominal attributes.
    n_values : int array of shape (n_features,)
        Values of each nominal attribute; grows when a larger code is learned.

    Notes
    -----
    ``class_weight[leaf, c]`` includes what the leaf inherited from the split that made it;
    ``weight[leaf, c]`` counts only rows it saw itself, as all other statistics do.
    """

    STATE = {
        "nominal": integers("n_features", least=0, below=2),
        "n_values": integers("n_features", least=0, below=MAX_CODE + 2),
        "offset": integers("features and one", least=0),
        "depth": integers("leaves", least=0),
        "since_check": floats("leaves"),
        "majority_right": floats("leaves"),
        "bayes_right": floats("leaves"),
        "class_weight": floats("leaves", "n_classes"),
        "weight": floats("leaves", "n_classes"),
        "mean": floats("leaves", "n_classes", "n_features"),
        "m2": floats("leaves", "n_classes", "n_features"),
        "low": floats("leaves", "n_classes", "n_features"),
        "high": floats("leaves", "n_classes", "n_features"),
        "counts": floats("leaves", "n_classes", "values"),
    }

    def __init__(self, n_features, n_classes, nominal, n_values):
        self.n_features = n_features
        self.n_classes = n_classes
        self.nominal = np.array(nominal, dtype=np.uint8)
        self.n_values = np.where(self.nominal, n_values, 0).astype(np.int32)
        self.any_nominal = np.any(self.nominal)
        self.offset = np.append(0, np.cumsum(self.n_values)).astype(np.int32)
        self.n_leaves = 1
        per_class = (1, n_classes)
        per_feature = (1, n_classes, n_features)
        self._take(
            {
                "depth": np.zeros(1, dtype=np.int32),
                "since_check": np.zeros(1),
                "majority_right": np.zeros(1),
                "bayes_right": np.zeros(1),
                "class_weight": np.zeros(per_class),
                "weight": np.zeros(per_class),
                "mean": np.zeros(per_feature),
                "m2": np.zeros(per_feature),
                "low": np.zeros(per_feature),
                "high": np.zeros(per_feature),
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
        """Add a row of class `y` and weight `w` to the statistics of its leaf."""
        first: cython.bint = self.weight[leaf, y] == 0.0
        self.since_check[leaf] += w
        self.class_weight[leaf, y] += w
        self.weight[leaf, y] += w
        self.stale[leaf, y] = True
        n = self.weight[leaf, y]
        for f in range(self.n_features):
            x = X[i, f]
            if self.nominal[f]:
                self.counts[leaf, y, self.offset[f] + cython.cast(cython.int, x)] += w
                continue
            d = x - self.mean[leaf, y, f]
            self.mean[leaf, y, f] += d * w / n if w < n else d
            self.m2[leaf, y, f] += w * d * (x - self.mean[leaf, y, f])
            if first or x < self.low[leaf, y, f]:
                self.low[leaf, y, f] = x
            if first or x > self.high[leaf, y, f]:
                self.high[leaf, y, f] = x

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
        """Return naive Bayes' class of a row, the lowest code on ties; -1 for an empty leaf."""
        best: cython.int = -1
        highest: cython.double = -INF
        for c in range(self.n_classes):
            if self.class_weight[leaf, c] > 0.0:
                value = self.log_posterior(leaf, X, i, c)
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
        """Write naive Bayes' class probabilities of a row."""
        for c in range(self.n_classes):
            if self.class_weight[leaf, c] > 0.0:
                out[c] = self.log_posterior(leaf, X, i, c)
            else:
                out[c] = -INF
        softmax(out)

    def log_posterior(self, leaf, X, i, c):
        """Return naive Bayes' log posterior of a class, up to a constant of the leaf."""
        if self.stale[leaf, c]:
            self._refresh(leaf, c)
        n = self.weight[leaf, c]
        if n == 0.0:
            return self.constant[leaf, c]
        quadratic: cython.double = 0.0
        nominal: cython.double = 0.0
        for f in range(self.n_features):
            x = X[i, f]
            if self.nominal[f]:
                count = 0.0
                if x >= 0.0 and x < self.n_values[f]:
                    count = self.counts[leaf, c, self.offset[f] + cython.cast(cython.int, x)]
                nominal += log((count + 1.0) / (n + self.n_values[f]))
            else:
                d = x - self.mean[leaf, c, f]
                quadratic += d * d / self.variance[leaf, c, f]
        return self.constant[leaf, c] + nominal - 0.5 * quadratic

    def _refresh(self, leaf, c):
        n_numeric: cython.int = 0
        n = self.weight[leaf, c]
        constant: cython.double = log(self.class_weight[leaf, c])
        if n > 0.0:
            for f in range(self.n_features):
                if not self.nominal[f]:
                    self.variance[leaf, c, f] = max(self.m2[leaf, c, f], 0.0) / n + 1e-9
                    n_numeric += 1
            constant -= 0.5 * (n_numeric * LOG_2PI + sum_of_logs(self.variance[leaf], c))
        self.constant[leaf, c] = constant
        self.stale[leaf, c] = False

    def mass(self, leaf):
        """Return the weight of a leaf, and how many classes it has."""
        total: cython.double = 0.0
        n_seen: cython.int = 0
        for c in range(self.n_classes):
            total += self.class_weight[leaf, c]
            n_seen += self.class_weight[leaf, c] > 0.0
        return total, n_seen

    def divide(self, leaf: cython.int):
        """Split a leaf into two; return the new one, which is the right side.

        The left side keeps the place of the old leaf and gets the class weights that
        `best_split` left in ``left[2]``. Both start without rows of their own.
        """
        new: cython.int = self.n_leaves
        depth: cython.int = self.depth[leaf] + 1
        left = np.array(self.left[2])
        right = np.asarray(self.weight)[leaf] - left
        if new == len(self.depth):
            self._resize(2 * new, np.arange(self.n_classes), self.n_classes)
        for array in self._arrays().values():
            array[leaf] = 0
        self.depth[leaf] = self.depth[new] = depth
        np.asarray(self.class_weight)[leaf] = left
        np.asarray(self.class_weight)[new] = right
        np.asarray(self.stale)[leaf] = True
        self.n_leaves = new + 1
        return new

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self._resize(len(self.depth), np.asarray(positions), n_classes)

    def get_state(self):
        """Return everything the leaves know: a dict of arrays."""
        return {
            "nominal": np.array(self.nominal),
            "n_values": np.array(self.n_values),
            "offset": np.array(self.offset),
            **{name: array[: self.n_leaves].copy() for name, array in self._arrays().items()},
        }

    def set_state(self, state):
        """Become the leaves whose `get_state` this was."""
        self.n_leaves = len(state["depth"])
        self.offset = np.array(state["offset"], dtype=np.int32)
        arrays = self._arrays().items()
        self._take({name: np.array(state[name], dtype=old.dtype) for name, old in arrays})

    def _more_values(self, f: cython.int, n: cython.int):
        old = np.asarray(self.offset)
        room = np.diff(old)
        if n > room[f]:
            room[f] = max(n, 2 * room[f])
            new = np.append(0, np.cumsum(room)).astype(np.int32)
            counts = np.zeros((len(self.depth), self.n_classes, new[self.n_features]))
            for g in range(self.n_features):
                width = old[g + 1] - old[g]
                before = np.asarray(self.counts)[:, :, old[g] : old[g + 1]]
                counts[:, :, new[g] : new[g] + width] = before
            self.counts = counts
            self.offset = new
        self.n_values[f] = n

    def _resize(self, capacity, positions, n_classes):
        wider = {}
        for name, array in self._arrays().items():
            shape = (capacity,) if array.ndim == 1 else (capacity, n_classes, *array.shape[2:])
            wider[name] = np.zeros(shape, dtype=array.dtype)
            if array.ndim == 1:
                wider[name][: self.n_leaves] = array[: self.n_leaves]
            else:
                wider[name][: self.n_leaves, positions] = array[: self.n_leaves]
        self.n_classes = n_classes
        self._take(wider)

    def _arrays(self):
        return {name: np.asarray(getattr(self, name)) for name in ARRAYS}

    def _take(self, arrays):
        for name in ARRAYS:
            setattr(self, name, arrays[name])
        self.variance = np.ones(arrays["mean"].shape)
        self.constant = np.zeros(arrays["weight"].shape)
        self.stale = np.ones(arrays["weight"].shape, dtype=np.uint8)
        self.left = np.zeros((3, self.n_classes))


def check_codes(values):
    """Raise unless all values of nominal attributes are codes."""
    bad = values[~((values >= 0) & (values <= MAX_CODE) & (values == np.floor(values)))]
    if bad.size:
        raise ValueError(f"nominal values are integers from 0 to {MAX_CODE}, got {bad[0]}")
