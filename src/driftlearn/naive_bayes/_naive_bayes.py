# cython: infer_types=True
"""Compiled incremental Gaussian naive Bayes."""

import cython
import numpy as np
from cython.cimports.libc.math import log, sqrt

if not cython.compiled:
    from driftlearn.base._online_model import RowModel
    from driftlearn.utils._normal_sums import heaviest, weigh
    from driftlearn.utils._row_pointers import start_of

from driftlearn.io.schema import InvalidStateError, floats, newer, number, word
from driftlearn.utils._class_axis import widened
from driftlearn.utils.arguments import check_range, choose

LOG_2PI = cython.declare(cython.double, log(2.0 * np.pi))
INF = cython.declare(cython.double, np.inf)
# The product of two numbers between LOW and HIGH neither underflows nor overflows.
LOW = cython.declare(cython.double, 1e-100)
HIGH = cython.declare(cython.double, 1e100)
# maximum precision, which keeps all precisions finite
SHARPEST = cython.declare(cython.double, 1e300)


@cython.cclass
class NaiveBayesModel(RowModel):
    """Gaussian naive Bayes with running means and variances (Welford's algorithm).

    Variances are smoothed by a fraction of the largest variance of any feature over all rows, and
    therefore change with every row. Derived values are computed at the first prediction after
    training: the reciprocal of each variance, called precision, and for each class the square root
    of the product of its precisions.

    Parameters
    ----------
    n_features, n_classes : int
        As for `OnlineModel`.
    var_smoothing : float
        Fraction of the largest variance that is added to all variances; positive.
    constant : {"match", "density"}
        Likelihood of a feature that has a single value in a class. "match" is 1 for that value and
        practically 0 for others. "density" is the normal density with the smoothing as its
        variance; the smaller the smoothing, the larger the density.

    Notes
    -----
    The probability of a class is proportional to ``share * exp(constant - total / 2)``, where
    total is the sum of squared distances times precisions. If the product of the precisions leaves
    the safe range, its logarithm is moved into the constant. Logarithms are therefore rare, and
    nothing overflows.

    Missing values (nan) are ignored in training and prediction. The posterior of a class contains
    the terms of the features that the row has and that at least one row of the class had. From the
    first missing value on, ``known`` and ``known_all`` are the weights of the rows that had each
    feature; until then these equal the weights of all rows.

    The mean after the first row is the row itself, not ``x * w / w``, which may differ in the last
    bit and would give a constant feature a variance. A sum of squares that is negative because of
    rounding is treated as 0.

    Examples
    --------
    >>> import numpy as np
    >>> learner = NaiveBayesModel(n_features=1, n_classes=2)
    >>> X = np.array([[0.0], [0.2], [1.0], [1.2]])
    >>> learner.learn_many(X, np.array([0, 0, 1, 1]), np.ones(4))
    >>> [learner.predict_one(X, i) for i in range(4)]
    [0, 0, 1, 1]
    """

    STATE = {
        **RowModel.STATE,
        "var_smoothing": number(0, above=True),
        "constant": newer(word("match", "density")),
        "weight": floats("n_classes", least=0),
        "mean": floats("n_classes", "n_features"),
        "m2": floats("n_classes", "n_features"),
        "mean_all": floats("n_features"),
        "m2_all": floats("n_features"),
        "known": newer(floats("n_classes", "n_features", least=0)),
        "known_all": newer(floats("n_features", least=0)),
    }

    def __init__(self, n_features, n_classes, var_smoothing=1e-9, constant="match"):
        RowModel.__init__(self, n_features, n_classes)
        self.var_smoothing = check_range("var_smoothing", var_smoothing, "(0, inf)")
        choose("constant", constant, dict.fromkeys(("match", "density")))
        self.matches = constant == "match"
        self.gaps = False
        self.fresh = True
        self._hold(np.zeros(size_of(n_features, n_classes)))

    def _hold(self, numbers):
        """Use one array as the storage of all others, so that a copy is a single array copy."""
        n, size = self.n_classes, self.n_classes * self.n_features
        self.numbers = numbers
        self.weight = start_of(self.numbers)
        self.share = start_of(self.numbers[n:])
        self.constant = start_of(self.numbers[2 * n :])
        self.room = start_of(self.numbers[3 * n :])
        self.mean = start_of(self.numbers[4 * n :])
        self.m2 = start_of(self.numbers[4 * n + size :])
        self.precision = start_of(self.numbers[4 * n + 2 * size :])
        self.mean_all = start_of(self.numbers[4 * n + 3 * size :])
        self.m2_all = start_of(self.numbers[4 * n + 3 * size + self.n_features :])

    def _parts(self):
        """Return views of the arrays of the state by name."""
        n, shape = self.n_classes, (self.n_classes, self.n_features)
        numbers, size = np.asarray(self.numbers), self.n_classes * self.n_features
        return {
            "weight": numbers[:n],
            "mean": numbers[4 * n :][:size].reshape(shape),
            "m2": numbers[4 * n + size :][:size].reshape(shape),
            "mean_all": numbers[4 * n + 3 * size :][: self.n_features],
            "m2_all": numbers[4 * n + 3 * size + self.n_features :],
        }

    def copy(self):
        """Return an independent copy."""
        other: NaiveBayesModel = NaiveBayesModel.__new__(NaiveBayesModel)
        other.n_features = self.n_features
        other.n_classes = self.n_classes
        other.weight_seen = self.weight_seen
        other.var_smoothing = self.var_smoothing
        other.matches = self.matches
        other.fresh = self.fresh
        other.gaps = self.gaps
        if self.gaps:
            other.known = np.array(self.known)
            other.known_all = self.known_all.copy()
        other._hold(self.numbers.copy())
        return other

    def scores_many(self, X, out):
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes)."""
        self._refresh()  # holds the GIL, because other threads may predict at the same time
        RowModel.scores_many(self, X, out)

    def _is_free(self):
        return True

    def _is_quiet(self, row):
        return True

    def _predict_row(self, row):
        self._exponents(row, self.room)
        return heaviest(self.room, self.share, self.n_classes)

    def _test_row(self, row, out):
        self._exponents(row, out)
        return weigh(out, self.share, self.n_classes)

    def _exponents(self, row, out):
        self._refresh()
        for c in range(self.n_classes):
            out[c] = self._exponent(row, c) if self.weight[c] > 0.0 else -INF

    def _learn_row(self, row, y, w):
        if w == 0.0:
            return 0
        if self.gaps or lacks(row, self.n_features):
            return self._learn_gaps(row, y, w)
        self.weight_seen += w
        self.weight[y] += w
        self.fresh = False
        learn(self.mean, self.m2, y * self.n_features, row, self.n_features, w, self.weight[y])
        learn(self.mean_all, self.m2_all, 0, row, self.n_features, w, self.weight_seen)
        return 0

    def _learn_gaps(self, row, y, w):
        """Train on a row with missing values, or on any row after the first such row."""
        if not self.gaps:
            with cython.gil:
                self._expect_gaps()
        self.weight_seen += w
        self.weight[y] += w
        self.fresh = False
        for f in range(self.n_features):
            if row[f] == row[f]:
                self.known[y, f] += w
                self.known_all[f] += w
                add(self.mean, self.m2, y * self.n_features + f, row[f], w, self.known[y, f])
                add(self.mean_all, self.m2_all, f, row[f], w, self.known_all[f])
        return 0

    def _expect_gaps(self):
        """Start counting, for each feature, the weight of the rows that have it."""
        weight = np.asarray(self.numbers)[: self.n_classes]
        self.known = np.repeat(weight[:, None], self.n_features, axis=1)
        self.known_all = np.full(self.n_features, self.weight_seen)
        self.gaps = True

    def _refresh(self):
        if self.fresh:
            return
        smoothing = self.var_smoothing * self._largest_variance()
        # All features are constant so far: use var_smoothing itself, since 0 has no reciprocal.
        if smoothing == 0.0:
            smoothing = self.var_smoothing
        for c in range(self.n_classes):
            if self.weight[c] > 0.0:
                self._refresh_class(c, smoothing)
        self.fresh = True

    def _refresh_class(self, c, smoothing):
        """Compute the precisions of a class and the factor of its exponential."""
        n = self.weight[c]
        first: cython.Py_ssize_t = c * self.n_features
        if self.gaps:
            self._refresh_gaps(c, smoothing)
        else:
            precisions(self.m2, n, n * smoothing, first, self.n_features, self.precision)
        counted = self.m2 if self.matches else self.precision
        product, logs = product_of(self.precision, counted, first, self.n_features)
        share = n / self.weight_seen * sqrt(product)
        if share < LOW:
            logs += 2.0 * log(share)
            share = 1.0
        self.share[c] = share
        self.constant[c] = 0.5 * logs

    def _largest_variance(self):
        """Return the largest variance of a feature over the rows that have it."""
        largest: cython.double = 0.0
        if self.gaps:
            for f in range(self.n_features):
                if self.known_all[f] > 0.0:
                    largest = max(largest, self.m2_all[f] / self.known_all[f])
            return largest
        for f in range(self.n_features):
            largest = max(largest, self.m2_all[f])
        return largest / self.weight_seen

    def _refresh_gaps(self, c, smoothing):
        """Compute the precisions of a class; 0 for features without values in the class."""
        for f in range(self.n_features):
            n = self.known[c, f]
            place = c * self.n_features + f
            self.precision[place] = precise(self.m2[place], n, n * smoothing) if n > 0.0 else 0.0

    def _exponent(self, row, c):
        """Return the log posterior of a class for a row, without the logarithm of its share."""
        total = distance(row, self.mean, self.precision, c * self.n_features, self.n_features)
        if total != total:
            return self._exponent_of_known(row, c)
        return self.constant[c] - 0.5 * total

    def _exponent_of_known(self, row, c):
        """Return `_exponent` of a row with missing values, or of a class without some features."""
        total: cython.double = 0.0
        for f in range(self.n_features):
            place = c * self.n_features + f
            p = self.precision[place]
            if row[f] == row[f] and p > 0.0:
                d = row[f] - self.mean[place]
                total += d * d * p
                if self.m2[place] > 0.0 or not self.matches:
                    total += LOG_2PI - log(p)
        return log(self.weight[c] / self.weight_seen) - log(self.share[c]) - 0.5 * total

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        state = self.get_state()
        for name in ("weight", "mean", "m2", "known"):
            if name in state:
                state[name] = widened(state[name], positions, n_classes)
        self.set_state({**state, "n_classes": n_classes})

    def get_state(self):
        """Return the state as a dict of arrays, numbers and a string."""
        gaps = {}
        if self.gaps:
            gaps = {"known": np.array(self.known), "known_all": np.array(self.known_all)}
        parts = {name: part.copy() for name, part in self._parts().items()}
        state = {name: getattr(self, name) for name in RowModel.STATE}
        kind = {"constant": "match" if self.matches else "density"}
        return {**state, **gaps, "var_smoothing": self.var_smoothing, **kind, **parts}

    def set_state(self, state):
        """Restore a state returned by `get_state`."""
        for name in (*RowModel.STATE, "var_smoothing"):
            setattr(self, name, state[name])
        # Files without `constant` were saved when "density" was the only behavior.
        self.matches = state.get("constant", "density") == "match"
        self._hold(np.zeros(size_of(self.n_features, self.n_classes)))
        for name, part in self._parts().items():
            part[:] = state[name]
        self.fresh = self.weight_seen == 0.0
        self.gaps = "known" in state
        if self.gaps:
            self.known = np.array(state["known"], dtype=float)
            self.known_all = np.array(state["known_all"], dtype=float)

    @staticmethod
    def check_state(state):
        """Raise ValueError unless total weight, class weights and missing counts agree."""
        if (state["weight_seen"] > 0) != (state["weight"] > 0).any():
            raise InvalidStateError(
                "the class weights of the naive Bayes model do not match its 'weight_seen'"
            )
        if ("known" in state) != ("known_all" in state):
            raise InvalidStateError(
                "the naive Bayes model needs both 'known' and 'known_all', or neither"
            )


def size_of(n_features, n_classes):
    """Return the size of the array that stores a model."""
    return 4 * n_classes + (3 * n_classes + 2) * n_features


def lacks(row, n):
    """Return whether a row has a missing value."""
    missing: cython.bint = False
    for f in range(n):
        missing |= row[f] != row[f]
    return missing


def learn(mean, m2, first, row, n_features, w, n):
    """Update the sums from position `first` on; `n` is the weight including this row."""
    for f in range(n_features):
        add(mean, m2, first + f, row[f], w, n)


def add(mean, m2, k, x, w, n):
    """Update the sums at position `k` with a value; `n` is the weight including this row."""
    d = x - mean[k]
    mean[k] += d * w / n if w < n else d
    m2[k] += w * d * (x - mean[k])


def precisions(m2, n, more, first, n_features, out):
    """Write the reciprocals of the variances of a class.

    `n` is the weight of the class; `more` is the smoothing added to every sum of squares.
    """
    for f in range(first, first + n_features):
        out[f] = precise(m2[f], n, more)


def precise(m2, n, more):
    """Return the reciprocal of the smoothed variance of rows of weight `n`."""
    return min(n / (max(m2, 0.0) + more), SHARPEST)


def product_of(values, counted, first, n):
    """Return the product of precisions, each divided by 2 pi, as a factor and a logarithm.

    Only precisions with a positive entry in `counted` are included; the entry is 0 for features
    without values or without variance. Factors that would leave the safe range are moved into the
    logarithm.
    """
    logs: cython.double = 0.0
    product: cython.double = 1.0
    n_factors: cython.int = 0
    for f in range(first, first + n):
        if counted[f] > 0.0:
            n_factors += 1
            more = product * values[f]
            if LOW < more < HIGH:
                product = more
            else:
                logs += log(product) + log(values[f])
                product = 1.0
    return product, logs - n_factors * LOG_2PI


def distance(row, mean, precision, first, n):
    """Return the sum of squared distances from the means, each multiplied by its precision.

    Four independent sums, each over every fourth feature, let the additions overlap: a single sum
    would make every addition wait for the one before it.
    """
    a: cython.double = 0.0
    b: cython.double = 0.0
    c: cython.double = 0.0
    d: cython.double = 0.0
    f: cython.Py_ssize_t = 0
    while f + 4 <= n:
        a += part(row[f], mean[first + f], precision[first + f])
        b += part(row[f + 1], mean[first + f + 1], precision[first + f + 1])
        c += part(row[f + 2], mean[first + f + 2], precision[first + f + 2])
        d += part(row[f + 3], mean[first + f + 3], precision[first + f + 3])
        f += 4
    while f < n:
        a += part(row[f], mean[first + f], precision[first + f])
        f += 1
    return (a + b) + (c + d)


def part(x, mean, precision):
    """Return the term of a single feature in the distance."""
    return (x - mean) * (x - mean) * precision
