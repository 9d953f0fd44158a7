# cython: infer_types=True
"""Gaussian naive Bayes, learned a row at a time."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

if not cython.compiled:
    from driftlearn.engines.online_model import OnlineModel

from driftlearn._schema import Misfit, floats, newer, number
from driftlearn.engines.online_model import check_rows, check_scores
from driftlearn.kernels.class_axis import widened

LOG_2PI = cython.declare(cython.double, log(2.0 * np.pi))
INF = cython.declare(cython.double, np.inf)


@cython.cclass
class NaiveBayesModel(OnlineModel):
    """Gaussian naive Bayes: a mean and a variance for each class and feature (Welford's sums).

    Variances are smoothed by a fraction of the largest variance any feature has over all rows,
    so they move with every row. They and their logarithms are worked out once when a prediction
    first needs them after learning, with one logarithm for many variances.

    Parameters
    ----------
    n_features, n_classes : int
        As for `OnlineModel`.
    var_smoothing : float
        The fraction of the largest variance that is added to all; larger than 0.

    Notes
    -----
    `predict_one` compares log posteriors, which saves the exponentials of `scores_one`.

    A feature that is missing (nan) is left out: of the sums of the row's class when the row is
    learned, and of the row's posterior when it is asked about. So the posterior of a class has
    the terms of those features that the row has and that a row of the class has had. From the
    first missing value on ``known`` and ``known_all`` count the weight of the rows that had each
    feature; until then that is the weight of all rows.

    The first row's mean is the row itself, not ``x * w / w``, which would differ in the last bit
    and give a constant feature a variance; a sum of squares that rounding made negative counts
    as 0.

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
        **OnlineModel.STATE,
        "var_smoothing": number(0, above=True),
        "weight": floats("n_classes", least=0),
        "mean": floats("n_classes", "n_features"),
        "m2": floats("n_classes", "n_features"),
        "mean_all": floats("n_features"),
        "m2_all": floats("n_features"),
        "known": newer(floats("n_classes", "n_features", least=0)),
        "known_all": newer(floats("n_features", least=0)),
    }

    def __init__(self, n_features, n_classes, var_smoothing=1e-9):
        OnlineModel.__init__(self, n_features, n_classes)
        if not var_smoothing > 0:
            raise ValueError(f"var_smoothing must be larger than 0, got {var_smoothing}")
        self.var_smoothing = var_smoothing
        self.gaps = False
        self.fresh = True
        self._hold(np.zeros((3 * n_classes + 2, n_features)), np.zeros(2 * n_classes))

    def _hold(self, sums, numbers):
        """Have these arrays, in which all others are found: so a copy is one of two arrays."""
        n = self.n_classes
        self.sums = sums
        self.numbers = numbers
        self.mean = self.sums[:n]
        self.m2 = self.sums[n : 2 * n]
        self.variance = self.sums[2 * n : 3 * n]
        self.mean_all = self.sums[3 * n]
        self.m2_all = self.sums[3 * n + 1]
        self.weight = self.numbers[:n]
        self.constant = self.numbers[n:]

    def copy(self):
        """Return a model that knows the same and goes its own way."""
        if self.n_classes == 0:
            return OnlineModel.copy(self)
        other: NaiveBayesModel = NaiveBayesModel.__new__(NaiveBayesModel)
        other.n_features = self.n_features
        other.n_classes = self.n_classes
        other.weight_seen = self.weight_seen
        other.var_smoothing = self.var_smoothing
        other.fresh = self.fresh
        other.gaps = self.gaps
        if self.gaps:
            other.known = self.known.copy()
            other.known_all = self.known_all.copy()
        other._hold(self.sums.copy(), self.numbers.copy())
        return other

    def learn_one(self, X, i, y, w):
        """Learn row `i` of `X`, of class `y`, as if it had come `w` times; 0 is never."""
        done = self._learn(X, i, y, w)
        if done < self.n_features:
            self._learn_gaps(X, i, y, w, done)

    def learn_many(self, X, y, w):
        """Learn all rows, in order."""
        i: cython.Py_ssize_t
        check_rows(self.n_features, self.n_classes, X, y, w)
        with cython.nogil:
            for i in range(X.shape[0]):
                done = self._learn(X, i, y[i], w[i])
                if done < self.n_features:
                    self._learn_gaps(X, i, y[i], w[i], done)

    def learn_tested(self, X, i, y, w):
        """Learn row `i` as `learn_one` does; it is the row of the last call, of `test_one`."""
        done = self._learn(X, i, y, w)
        if done < self.n_features:
            self._learn_gaps(X, i, y, w, done)

    def test_and_learn_many(self, X, y, w, out):
        """Learn all rows, in order; write the class scores of each before that to `out`."""
        i: cython.Py_ssize_t
        check_rows(self.n_features, self.n_classes, X, y, w)
        check_scores(self.n_features, self.n_classes, X, out)
        with cython.nogil:
            for i in range(X.shape[0]):
                self._refresh()
                self._scores(X, i, out[i])
                done = self._learn(X, i, y[i], w[i])
                if done < self.n_features:
                    self._learn_gaps(X, i, y[i], w[i], done)

    def scores_one(self, X, i, out):
        """Write row `i`'s class probabilities to `out`; all are 0 before any row."""
        self._refresh()
        self._scores(X, i, out)

    def scores_many(self, X, out):
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes)."""
        i: cython.Py_ssize_t
        check_scores(self.n_features, self.n_classes, X, out)
        self._refresh()
        with cython.nogil:
            for i in range(X.shape[0]):
                self._scores(X, i, out[i])

    def predict_one(self, X, i):
        """Return the code of row `i`'s best class, the lowest on ties; -1 before any row."""
        self._refresh()
        return self._likeliest(X, i)

    def _likeliest(self, X, i):
        best: cython.int = -1
        highest: cython.double = -INF
        for c in range(self.n_classes):
            if self.weight[c] > 0.0:
                value = self._log_posterior(X, i, c)
                if best < 0 or value > highest:
                    best = c
                    highest = value
        return best

    def _is_free(self):
        return True

    def _take_row(self, X, i, y, w):
        done = self._learn(X, i, y, w)
        if done < self.n_features:
            self._learn_gaps(X, i, y, w, done)
        return 0

    def _take_tested(self, X, i, y, w):
        return self._take_row(X, i, y, w)

    def test_one(self, X, i, out):
        """Write row `i`'s class scores to `out`, unless that is None; return its best class."""
        return self._test_row(X, i, out)

    def _test_row(self, X, i, out):
        best: cython.int = -1
        self._refresh()
        if out is None:
            return self._likeliest(X, i)
        for c in range(self.n_classes):
            out[c] = -INF
            if self.weight[c] > 0.0:
                out[c] = self._log_posterior(X, i, c)
                if best < 0 or out[c] > out[best]:
                    best = c
        softmax(out)
        return best

    def _learn(self, X, i, y, w):
        """Learn the features of a row before the first that is missing; return how many.

        The loop ends at a gap, because a branch inside of it would have compilers look up all
        arrays again for each feature, and callers learn the rest, because handing a row on costs
        as much as three features: so rows without gaps cost what they always did.
        """
        if w == 0.0:
            return self.n_features
        f: cython.Py_ssize_t = 0
        if self.gaps:
            return f
        n = self.weight[y] + w
        n_all = self.weight_seen + w
        x = X[i, 0]
        while x == x:
            self._add(f, x, y, w, n, n_all)
            f += 1
            if f == self.n_features:
                self.weight[y] = n
                self.weight_seen = n_all
                self.fresh = False
                break
            x = X[i, f]
        return f

    def _learn_gaps(self, X, i, y, w, start):
        """Learn a row that may lack features, of which those before `start` are learned."""
        if not self.gaps:
            with cython.gil:
                self._expect_gaps()
        self.fresh = False
        self.weight_seen += w
        self.weight[y] += w
        for f in range(self.n_features):
            if X[i, f] == X[i, f]:
                self.known[y, f] += w
                self.known_all[f] += w
                if f >= start:
                    self._add(f, X[i, f], y, w, self.known[y, f], self.known_all[f])
        return 0

    def _add(self, f, x, y, w, n, n_all):
        """Add a value to the sums of a feature, of rows that now weigh `n` and `n_all`."""
        d = x - self.mean[y, f]
        self.mean[y, f] += d * w / n if w < n else d
        self.m2[y, f] += w * d * (x - self.mean[y, f])
        d = x - self.mean_all[f]
        self.mean_all[f] += d * w / n_all if w < n_all else d
        self.m2_all[f] += w * d * (x - self.mean_all[f])

    def _expect_gaps(self):
        """Count from now on, for each feature, the weight of the rows that have it."""
        known = np.repeat(np.asarray(self.weight)[:, None], self.n_features, axis=1)
        self.known_all = np.full(self.n_features, self.weight_seen)
        self.known = known
        self.gaps = True

    def _refresh(self):
        if self.fresh:
            return
        smoothing: cython.double = 0.0
        for f in range(self.n_features):
            v = self.m2_all[f] / self.weight_seen
            if v > smoothing:
                smoothing = v
        if self.gaps:
            smoothing = self._largest_variance()
        smoothing = self.var_smoothing * smoothing
        if smoothing == 0.0:
            smoothing = self.var_smoothing
        for c in range(self.n_classes):
            n = self.weight[c]
            if n > 0.0:
                n_known: cython.int = self.n_features
                for f in range(self.n_features):
                    self.variance[c, f] = max(self.m2[c, f], 0.0) / n + smoothing
                if self.gaps:
                    n_known = self._refresh_gaps(c, smoothing)
                v = n_known * LOG_2PI + sum_of_logs(self.variance, c)
                self.constant[c] = log(n / self.weight_seen) - 0.5 * v
        self.fresh = True

    def _largest_variance(self):
        """Return the largest variance that a feature has over the rows that have it."""
        largest: cython.double = 0.0
        for f in range(self.n_features):
            if self.known_all[f] > 0.0:
                largest = max(largest, self.m2_all[f] / self.known_all[f])
        return largest

    def _refresh_gaps(self, c, smoothing):
        """Write the variances of a class, infinite for features without any; return how many."""
        n_known: cython.int = 0
        for f in range(self.n_features):
            n = self.known[c, f]
            if n > 0.0:
                self.variance[c, f] = max(self.m2[c, f], 0.0) / n + smoothing
                n_known += 1
            else:
                self.variance[c, f] = INF
        return n_known

    def _log_posterior(self, X, i, c):
        total: cython.double = 0.0
        for f in range(self.n_features):
            d = X[i, f] - self.mean[c, f]
            total += d * d / self.variance[c, f]
        if total != total:
            total = sum_without_gaps(self.mean, self.variance, c, X, i)
            return log(self.weight[c] / self.weight_seen) - 0.5 * total
        return self.constant[c] - 0.5 * total

    def _scores(self, X, i, out):
        for c in range(self.n_classes):
            out[c] = self._log_posterior(X, i, c) if self.weight[c] > 0.0 else -INF
        softmax(out)

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        state = self.get_state()
        for name in ("weight", "mean", "m2", "known"):
            if name in state:
                state[name] = widened(state[name], positions, n_classes)
        self.set_state({**state, "n_classes": n_classes})

    def get_state(self):
        """Return everything the learner knows: a dict of arrays and numbers."""
        gaps = {}
        if self.gaps:
            gaps = {"known": np.array(self.known), "known_all": np.array(self.known_all)}
        return {
            **OnlineModel.get_state(self),
            **gaps,
            "var_smoothing": self.var_smoothing,
            "weight": np.array(self.weight),
            "mean": np.array(self.mean),
            "m2": np.array(self.m2),
            "mean_all": np.array(self.mean_all),
            "m2_all": np.array(self.m2_all),
        }

    def set_state(self, state):
        """Become the learner whose `get_state` this was."""
        OnlineModel.set_state(self, state)
        self.var_smoothing = float(state["var_smoothing"])
        n = self.n_classes
        self._hold(np.zeros((3 * n + 2, self.n_features)), np.zeros(2 * n))
        np.asarray(self.weight)[:] = state["weight"]
        np.asarray(self.mean)[:] = state["mean"]
        np.asarray(self.m2)[:] = state["m2"]
        np.asarray(self.mean_all)[:] = state["mean_all"]
        np.asarray(self.m2_all)[:] = state["m2_all"]
        self.fresh = self.weight_seen == 0.0
        self.gaps = "known" in state
        if self.gaps:
            self.known = np.array(state["known"], dtype=float)
            self.known_all = np.array(state["known_all"], dtype=float)

    @staticmethod
    def check_state(state):
        """Raise ValueError where rows were seen that have no class, or the other way round."""
        if (state["weight_seen"] > 0) != (state["weight"] > 0).any():
            raise Misfit("the weights of a naive Bayes model do not make up what it has seen")
        if ("known" in state) != ("known_all" in state):
            raise Misfit("a naive Bayes model has counted what is missing by half")


def sum_without_gaps(mean, variance, c, X, i):
    """Return minus twice the logarithm of the density of what row `i` has, in class `c`.

    Features of infinite variance are left out, too.
    """
    total: cython.double = 0.0
    for f in range(variance.shape[1]):
        x = X[i, f]
        v = variance[c, f]
        if x == x and v < INF:
            d = x - mean[c, f]
            total += LOG_2PI + log(v) + d * d / v
    return total


def sum_of_logs(values, row):
    """Return the sum of the logarithms of a row of positive values, with few logarithms.

    Values are multiplied until the product leaves a safe range; infinite ones are left out.
    """
    total: cython.double = 0.0
    product: cython.double = 1.0
    for f in range(values.shape[1]):
        v = values[row, f]
        if v < 1e-100 or v > 1e100:
            if v < INF:
                total += log(v)
        else:
            product *= v
            if product < 1e-100 or product > 1e100:
                total += log(product)
                product = 1.0
    return total + log(product)


def softmax(out):
    """Turn log scores into scores that sum to 1; where all are -inf, into zeros."""
    highest: cython.double = -INF
    total: cython.double = 0.0
    for c in range(out.shape[0]):
        if out[c] > highest:
            highest = out[c]
    for c in range(out.shape[0]):
        if out[c] == highest:  # its exponential is 1, and 0 where all are -inf
            out[c] = 1.0 if highest > -INF else 0.0
        else:
            out[c] = exp(out[c] - highest)
        total += out[c]
    if total > 0.0:
        for c in range(out.shape[0]):
            out[c] /= total
