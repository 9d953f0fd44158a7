# cython: infer_types=True
"""Wrapper that one-hot encodes nominal features for logistic regression."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._online_model import RowModel, check_scores
    from driftlearn.utils._row_pointers import place_at, row_at, start_of

from driftlearn.base._engine import restore
from driftlearn.io.schema import InvalidStateError, a, integers
from driftlearn.linear_model._logistic_model import LogisticModel

NAN = cython.declare(cython.double, np.nan)
# Maximum number of columns of a nominal feature. Codes with the same remainder share a column.
MOST_PLACES = cython.declare(cython.int, 64)


@cython.cclass
class OneHotModel(RowModel):
    """Logistic regression on rows with one-hot encoded nominal features.

    Parameters
    ----------
    nominal : uint8 array
        1 for nominal features, whose values are codes 0, 1, ....
    n_classes : int
        Number of classes.
    rates : array-like
        The learning rates.

    Notes
    -----
    A nominal feature becomes 64 columns; a code is a 1 in the column ``code % 64``. If the code is
    missing, so are all of these columns. Columns in which no row had a 1 yet have weight 0 and do
    not change the others, so only the first ``places[f]`` columns of feature f are stored.

    Examples
    --------
    >>> model = OneHotModel(np.array([1]), 2)
    >>> X = np.array([[0.0], [1.0], [2.0]] * 20)
    >>> model.learn_many(X, np.array([0, 1, 0] * 20), np.ones(60))
    >>> [model.predict_one(X, i) for i in range(3)]
    [0, 1, 0]
    """

    STATE = {
        **RowModel.STATE,
        "inner": a(LogisticModel, n_classes="n_classes"),
        "places": integers("n_features", least=0, below=MOST_PLACES + 1),
    }

    def __init__(self, nominal, n_classes, *rates):
        RowModel.__init__(self, len(nominal), n_classes)
        self.places = np.where(nominal, 4, 0).astype(np.int32)
        self.inner = LogisticModel(n_columns(self.places), n_classes, *rates)
        self._prepare()

    def _prepare(self):
        self.part = np.empty(self.inner.n_features)

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the inner model has the columns of the encoded features."""
        if state["inner"].n_features != n_columns(state["places"]):
            raise InvalidStateError("the inner model of OneHotModel has the wrong columns")

    def _is_free(self):
        return True

    def _learn_row(self, row, y, w):
        for f in range(self.n_features):
            if self.places[f] > 0 and place_of(row[f]) >= self.places[f]:
                with cython.gil:
                    self._make_room(f, place_of(row[f]))
        self.inner._learn_row(self._expanded(row, self.part), y, w)
        self.weight_seen = self.inner.weight_seen
        return 0

    def _predict_row(self, row):
        return self.inner._predict_row(self._expanded(row, self.part))

    def _test_row(self, row, out):
        return self.inner._test_row(self._expanded(row, self.part), out)

    def scores_many(self, X, out):
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes).

        Threads may predict at the same time, so each call allocates its own working arrays.
        """
        check_scores(self.n_features, self.n_classes, X, out)
        part: cython.double[::1] = np.empty(self.inner.n_features)
        z: cython.double[::1] = np.ones(1 + self.inner.n_features)
        p: cython.double[::1] = np.empty(self.n_classes)
        with cython.nogil:
            for i in range(X.shape[0]):
                self.inner._scores(self._expanded(row_at(X, i), part), place_at(out, i), z, p)

    def _expanded(self, row, part):
        """Write a row with encoded nominal features to `part`; return it."""
        at: cython.Py_ssize_t = 0
        for f in range(self.n_features):
            value = row[f]
            if self.places[f] == 0:
                part[at] = value
                at += 1
                continue
            for k in range(self.places[f]):
                part[at + k] = 0.0 if value == value else NAN
            place = place_of(value)
            if 0 <= place < self.places[f]:
                part[at + place] = 1.0
            at += self.places[f]
        return start_of(part)

    def _make_room(self, feature, place):
        """Store more columns of a nominal feature, at least up to this place."""
        before = np.array(self.places)
        places = before.copy()
        places[feature] = min(max(place + 1, 2 * before[feature]), MOST_PLACES)
        state = self.inner.get_state()
        first = n_columns(before[: feature + 1])
        more = places[feature] - before[feature]
        for name in ("known", "mean", "m2"):
            # Each column of a feature has the same number of rows; new columns contained 0 so far.
            column = state[name][first - 1] if name == "known" else 0.0
            state[name] = np.insert(state[name], first, np.full(more, column))
        coef = np.insert(state["coef"], first + 1, np.zeros((more, 1, 1)), axis=2)
        state |= {"coef": coef, "n_features": n_columns(places)}
        self.inner = restore(LogisticModel, state)
        self.places = places
        self._prepare()

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.inner.widen(positions, n_classes)
        self.n_classes = n_classes

    def copy(self):
        """Return an independent copy."""
        return restore(OneHotModel, {**self.get_state(), "inner": self.inner.copy()})


def n_columns(places):
    """Return the number of columns of encoded rows."""
    return int(np.maximum(places, 1).sum())


def place_of(value):
    """Return the column of a code among those of its feature; -1 if it is missing or invalid."""
    return cython.cast(cython.int, value) % MOST_PLACES if 0.0 <= value <= 65535.0 else -1
