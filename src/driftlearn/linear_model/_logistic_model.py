# cython: infer_types=True
"""Compiled online multinomial logistic regression with several learning rates in parallel."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, sqrt

if not cython.compiled:
    from driftlearn.base._online_model import RowModel, check_scores
    from driftlearn.utils._normal_sums import softmax
    from driftlearn.utils._row_pointers import place_at, row_at, start_of

from driftlearn.io.schema import InvalidStateError, floats
from driftlearn.utils._class_axis import widened
from driftlearn.utils.arguments import invalid

INF = cython.declare(cython.double, np.inf)
# Standardized features are clipped to this many standard deviations, so their squares stay finite.
FARTHEST = cython.declare(cython.double, 1e6)
# Upper bound p (1 - p) <= 1/4 of the second derivative of the loss with respect to a class's score.
# Dividing steps by 1 + CURVATURE * rate * |z|^2 keeps them from overshooting.
CURVATURE = cython.declare(cython.double, 0.25)
# Fading factor of the mistake counts per row: a mistake 500 rows ago counts 1/e = 37 %.
KEPT = cython.declare(cython.double, 1.0 - 1.0 / 500.0)
HIGHEST_RATE = 1000.0  # steps do not grow further above this rate


@cython.cclass
class LogisticModel(RowModel):
    """Multinomial logistic regression on standardized features, with several learning rates.

    Parameters
    ----------
    n_features, n_classes : int
        As for `OnlineModel`.
    rates : array-like
        The learning rates, above 0 and at most 1000.

    Notes
    -----
    ``coef[c, k]`` are the weights of class ``c`` at the rate ``k``, the intercept first. A row is
    standardized with the means and variances of the preceding rows and is added to them afterwards.
    A missing value (nan), or a feature that has been constant so far, becomes 0.

    Classes not seen yet have the score 0. A row counts as a mistake at a rate unless the
    probability of its class is strictly the largest.

    Examples
    --------
    >>> learner = LogisticModel(n_features=1, n_classes=2)
    >>> X = np.array([[0.0], [1.0]] * 20)
    >>> learner.learn_many(X, np.array([0, 1] * 20), np.ones(40))
    >>> [learner.predict_one(X, i) for i in range(2)]
    [0, 1]
    """

    STATE = {
        **RowModel.STATE,
        "rates": floats("n_rates", least=0),
        "weight": floats("n_classes", least=0),
        "coef": floats("n_classes", "n_rates", None),
        "mistakes": floats("n_rates", least=0),
        "known": floats("n_features", least=0),
        "mean": floats("n_features"),
        "m2": floats("n_features"),
    }

    def __init__(self, n_features, n_classes, rates=(0.003, 0.01, 0.03, 0.1, 0.3)):
        RowModel.__init__(self, n_features, n_classes)
        self.rates = checked_rates(rates)
        n_rates = len(self.rates)
        self.weight = np.zeros(n_classes)
        self.coef = np.zeros((n_classes, n_rates, 1 + n_features))
        self.mistakes = np.zeros(n_rates)
        self.known = np.zeros(n_features)
        self.mean = np.zeros(n_features)
        self.m2 = np.zeros(n_features)
        self._prepare()

    def _test_row(self, row, out):
        self._scores(row, out, self.z, self.p)
        return -2

    def scores_many(self, X, out):
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes).

        Threads may predict at the same time, so each call allocates its own working arrays.
        """
        check_scores(self.n_features, self.n_classes, X, out)
        z: cython.double[::1] = np.ones(1 + self.n_features)
        p: cython.double[::1] = np.empty(self.n_classes)
        with cython.nogil:
            for i in range(X.shape[0]):
                self._scores(row_at(X, i), place_at(out, i), z, p)

    def _predict_row(self, row):
        best: cython.int = -1
        highest: cython.double = 0.0
        self._scores(row, start_of(self.out), self.z, self.p)
        for c in range(self.n_classes):
            if self.out[c] > highest:
                best = c
                highest = self.out[c]
        return best

    def _learn_row(self, row, y, w):
        if w == 0.0:
            return 0
        self.weight_seen += w
        self.weight[y] += w
        square = self._standardize(row, self.z)
        for k in range(self.rates.shape[0]):
            self._probabilities(k, self.z, self.p)
            self.mistakes[k] = KEPT * self.mistakes[k] + (w if self._is_behind(y) else 0.0)
            rate = self.rates[k] * w
            length = rate / (1.0 + CURVATURE * rate * square)
            for c in range(self.n_classes):
                if self.weight[c] > 0.0:
                    step = length * ((1.0 if c == y else 0.0) - self.p[c])
                    for j in range(self.z.shape[0]):
                        self.coef[c, k, j] += step * self.z[j]
        self._count(row, w)
        return 0

    def _is_behind(self, y):
        """Return whether the probability of another seen class is at least that of `y`."""
        for c in range(self.n_classes):
            if c != y and self.weight[c] > 0.0 and self.p[c] >= self.p[y]:
                return True
        return False

    def _count(self, row, w):
        """Update the means and variances of the features by Welford's algorithm."""
        for f in range(self.n_features):
            x = row[f]
            if x == x:
                self.known[f] += w
                n = self.known[f]
                d = x - self.mean[f]
                self.mean[f] += d * w / n if w < n else d
                # The product of the deviations from the old and the new mean is numerically stable.
                self.m2[f] += w * d * (x - self.mean[f])
                self.spread[f] = sqrt(max(self.m2[f], 0.0) / n)

    def _standardize(self, row, z):
        """Write the standardized row to `z` after the constant 1; return the sum of squares."""
        square: cython.double = 1.0
        for f in range(self.n_features):
            x = row[f]
            far: cython.double = 0.0
            if x == x and self.spread[f] > 0.0:
                # Constant features have zero spread and are set to 0.
                far = (x - self.mean[f]) / self.spread[f]
                far = min(max(far, -FARTHEST), FARTHEST)
            z[f + 1] = far
            square += far * far
        return square

    def _probabilities(self, k, z, p):
        """Write the class probabilities at the rate `k` to `p`."""
        for c in range(self.n_classes):
            total: cython.double = -INF
            if self.weight[c] > 0.0:
                total = 0.0
                for j in range(z.shape[0]):
                    total += self.coef[c, k, j] * z[j]
            p[c] = total
        softmax(start_of(p), self.n_classes)

    def _scores(self, row, out, z, p):
        total: cython.double = 0.0
        fewest: cython.double = INF
        self._standardize(row, z)
        for c in range(self.n_classes):
            out[c] = 0.0
        for k in range(self.rates.shape[0]):
            fewest = min(fewest, self.mistakes[k])
        for k in range(self.rates.shape[0]):
            # Subtracting the fewest mistakes keeps the largest exponential weight at 1.
            share: cython.double = exp(fewest - self.mistakes[k])
            total += share
            self._probabilities(k, z, p)
            for c in range(self.n_classes):
                out[c] += share * p[c]
        for c in range(self.n_classes):
            out[c] /= total

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.n_classes = n_classes
        self.weight = widened(self.weight, positions, n_classes)
        self.coef = widened(self.coef, positions, n_classes)
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the coefficients match the features and the rates are valid."""
        if state["coef"].shape[2] != 1 + state["n_features"]:
            raise InvalidStateError(
                f"'coef' of LogisticModel must have {1 + state['n_features']} weights per class "
                f"and rate. Got {state['coef'].shape[2]}."
            )
        checked_rates(state["rates"])

    def _prepare(self):
        """Compute values derived from the state, and allocate working arrays."""
        known, m2 = np.asarray(self.known), np.asarray(self.m2)
        self.spread = np.sqrt(np.maximum(m2, 0.0) / np.where(known > 0, known, 1.0))
        self.z = np.ones(1 + self.n_features)
        self.p = np.empty(self.n_classes)
        self.out = np.empty(self.n_classes)


def checked_rates(rates):
    """Return the learning rates as an array; raise ValueError unless all are valid."""
    try:
        found = np.array(rates, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim != 1 or not len(found) or not ((found > 0) & (found <= HIGHEST_RATE)).all():
        raise invalid("rates", f"one or more numbers in the range (0, {HIGHEST_RATE:g}]", rates)
    return found
