# cython: infer_types=True
"""Compiled naive Bayes for tables with numeric and nominal features."""

import cython
import numpy as np
from cython.cimports.libc.math import log

if not cython.compiled:
    from driftlearn.base._online_model import RowModel, check_scores
    from driftlearn.utils._normal_sums import heaviest, weigh
    from driftlearn.utils._row_pointers import place_at, row_at, start_of

from driftlearn.base._engine import restore
from driftlearn.io.schema import a, floats, integers
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
from driftlearn.utils._class_axis import widened

NAN = cython.declare(cython.double, np.nan)
INF = cython.declare(cython.double, np.inf)


@cython.cclass
class NominalBayesModel(RowModel):
    """Naive Bayes with normal densities of numbers and frequencies of categories.

    Parameters
    ----------
    columns : int array
        The nominal features. Their values are codes 0, 1, ....
    numeric : NaiveBayesModel
        The model of the other features; nominal features are missing in its rows.

    Notes
    -----
    The likelihood of a code in a class is ``(count + 1) / (known + values)``, where ``counts[j, v,
    c]`` is the weight of the rows of class c with code v of the j-th nominal feature, ``known[j,
    c]`` their sum over v, and values the number of codes of the feature in any row. Missing
    values and codes that no row had are ignored.

    Examples
    --------
    >>> from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
    >>> model = NominalBayesModel(np.array([0]), NaiveBayesModel(n_features=1, n_classes=2))
    >>> X = np.array([[0.0], [7.0], [3.0], [7.0]])
    >>> model.learn_many(X, np.array([0, 1, 0, 1]), np.ones(4))
    >>> [model.predict_one(X, i) for i in range(4)]
    [0, 1, 0, 1]
    """

    STATE = {
        **RowModel.STATE,
        "numeric": a(NaiveBayesModel, n_features="n_features", n_classes="n_classes"),
        "columns": integers("columns", least=0, below="n_features"),
        "counts": floats("columns", None, "n_classes", least=0),
        "known": floats("columns", "n_classes", least=0),
    }

    def __init__(self, columns, numeric):
        RowModel.__init__(self, numeric.n_features, numeric.n_classes)
        self.numeric = numeric
        self.columns = np.array(columns, dtype=np.int32)
        self.counts = np.zeros((len(columns), 4, self.n_classes))
        self.known = np.zeros((len(columns), self.n_classes))
        self._prepare()

    def _prepare(self):
        """Compute values derived from the state, and allocate working arrays."""
        seen = (np.asarray(self.counts) > 0).any(axis=2)
        self.n_values = seen.sum(axis=1).astype(np.int32)
        self.part = np.empty(self.n_features)
        self.room = np.empty(self.n_classes)

    def _is_free(self):
        return True

    def _predict_row(self, row):
        self._exponents(row, start_of(self.part), start_of(self.room))
        return heaviest(start_of(self.room), self.numeric.share, self.n_classes)

    def _test_row(self, row, out):
        self._exponents(row, start_of(self.part), out)
        return weigh(out, self.numeric.share, self.n_classes)

    def scores_many(self, X, out):
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes)."""
        check_scores(self.n_features, self.n_classes, X, out)
        # Threads may predict at the same time: derived values are computed with the GIL, and each
        # call has its own working array.
        self.numeric._refresh()
        part: cython.double[::1] = np.empty(self.n_features)
        with cython.nogil:
            for i in range(X.shape[0]):
                self._exponents(row_at(X, i), start_of(part), place_at(out, i))
                weigh(place_at(out, i), self.numeric.share, self.n_classes)

    def _exponents(self, row, part, out):
        """Write the log posterior of each class, without the logarithm of its share."""
        self._numbers_of(row, part)
        self.numeric._exponents(part, out)
        for j in range(self.columns.shape[0]):
            code = self._code_of(row, j)
            if self._is_seen(j, code):
                for c in range(self.n_classes):
                    if out[c] > -INF:
                        total = self.known[j, c] + self.n_values[j]
                        out[c] += log((self.counts[j, code, c] + 1.0) / total)

    def _learn_row(self, row, y, w):
        if w == 0.0:
            return 0
        for j in range(self.columns.shape[0]):
            code = self._code_of(row, j)
            if code < 0:
                continue
            if code >= self.counts.shape[1]:
                with cython.gil:
                    self._make_room(code)
            if not self._is_seen(j, code):
                self.n_values[j] += 1
            self.counts[j, code, y] += w
            self.known[j, y] += w
        self._numbers_of(row, start_of(self.part))
        self.numeric._learn_row(start_of(self.part), y, w)
        self.weight_seen = self.numeric.weight_seen
        return 0

    def _make_room(self, code):
        """Allocate counts for codes up to at least this one."""
        counts = np.asarray(self.counts)
        grown = np.zeros((len(counts), max(int(code) + 1, 2 * counts.shape[1]), self.n_classes))
        grown[:, : counts.shape[1]] = counts
        self.counts = grown

    def _numbers_of(self, row, part):
        """Copy a row to `part`, with nan for nominal features."""
        for f in range(self.n_features):
            part[f] = row[f]
        for j in range(self.columns.shape[0]):
            part[self.columns[j]] = NAN

    def _code_of(self, row, j):
        """Return the code of a nominal feature; -1 if it is missing or invalid."""
        value = row[self.columns[j]]
        return cython.cast(cython.int, value) if 0.0 <= value <= 65535.0 else -1

    def _is_seen(self, j, code):
        """Return whether a row had this code."""
        if 0 <= code < self.counts.shape[1]:
            for c in range(self.n_classes):
                if self.counts[j, code, c] > 0.0:
                    return True
        return False

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.numeric.widen(positions, n_classes)
        self.counts = widened(self.counts, positions, n_classes, axis=2)
        self.known = widened(self.known, positions, n_classes, axis=1)
        self.n_classes = n_classes
        self._prepare()

    def copy(self):
        """Return an independent copy."""
        return restore(NominalBayesModel, {**self.get_state(), "numeric": self.numeric.copy()})
