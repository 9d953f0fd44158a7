# cython: infer_types=True
"""An online model that sees some of the features only."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.engines.online_model import OnlineModel

from driftlearn._schema import Misfit, a, integers
from driftlearn.engines.engine import restore
from driftlearn.engines.online_committee import labels


@cython.cclass
class SubspaceModel(OnlineModel):
    """A model in the seat of one of all features: it is handed those that it was made for.

    Parameters
    ----------
    n_features : int
        Columns of every `X`.
    columns : int array
        Those that the model sees.
    inner : OnlineModel
        The model, of as many features.

    Examples
    --------
    >>> from driftlearn.engines.naive_bayes import NaiveBayesModel
    >>> model = SubspaceModel(3, np.array([2]), NaiveBayesModel(1, 2))
    >>> X = np.array([[9.0, 9.0, 0.0], [9.0, 9.0, 1.0], [0.0, 0.0, 0.9]])
    >>> model.learn_many(X[:2], np.array([0, 1]), np.ones(2))
    >>> model.predict_one(X, 2)
    1
    """

    STATE = {
        **OnlineModel.STATE,
        "columns": integers("columns", least=0, below="n_features"),
        "inner": a(OnlineModel),
    }

    def __init__(self, n_features, columns, inner):
        OnlineModel.__init__(self, n_features, inner.n_classes)
        self.columns = np.array(columns, dtype=np.int32)
        self.inner = inner
        self.row = np.zeros((1, len(columns)))

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the model is of these columns and classes."""
        inner = state["inner"]
        shape = len(state["columns"]), state["n_classes"]
        if (inner.n_features, inner.n_classes) != shape:
            raise Misfit("a model of other features or classes than those that it is handed")

    @property
    def model(self):
        """The model that sees the columns; a foreign one as its user knows it."""
        return getattr(self.inner, "model", self.inner)

    @property
    def n_nodes(self):
        """The size of the model, where it tells it."""
        return getattr(self.inner, "n_nodes", None)

    @property
    def n_bytes(self):
        """The memory of the model, where it tells it."""
        return getattr(self.inner, "n_bytes", None)

    def _look_at(self, X, i):
        """Take the columns out of a row."""
        for k in range(self.columns.shape[0]):
            self.row[0, k] = X[i, self.columns[k]]

    def learn_one(self, X, i, y, w):
        """Learn row `i` of `X`, of class `y`, as if it had come `w` times; 0 is never."""
        self._look_at(X, i)
        self.inner.learn_one(self.row, 0, y, w)
        self.weight_seen = self.inner.weight_seen

    def scores_one(self, X, i, out):
        """Write row `i`'s class scores to `out`; all are 0 before any row."""
        self._look_at(X, i)
        self.inner.scores_one(self.row, 0, out)

    def predict_one(self, X, i):
        """Return the code of row `i`'s best class; -1 before any row."""
        self._look_at(X, i)
        return self.inner.predict_one(self.row, 0)

    def test_one(self, X, i, out):
        """Write row `i`'s class scores to `out`, unless that is None; return its best class."""
        self._look_at(X, i)
        return self.inner.test_one(self.row, 0, out)

    def learn_tested(self, X, i, y, w):
        """Learn row `i` as `learn_one` does; it is the row of the last call, of `test_one`."""
        self.inner.learn_tested(self.row, 0, y, w)
        self.weight_seen = self.inner.weight_seen

    def _is_free(self):
        return self.inner._is_free()

    def _take_row(self, X, i, y, w):
        self._look_at(X, i)
        self.inner._take_row(self.row, 0, y, w)
        self.weight_seen = self.inner.weight_seen
        return 0

    def _take_tested(self, X, i, y, w):
        self.inner._take_tested(self.row, 0, y, w)
        self.weight_seen = self.inner.weight_seen
        return 0

    def _test_row(self, X, i, out):
        self._look_at(X, i)
        return self.inner._test_row(self.row, 0, out)

    def scores_many(self, X, out):
        """Write the class scores of all rows to `out`, of shape (rows, n_classes)."""
        self.inner.scores_many(self._part(X), out)

    def predict_many(self, X):
        """Return the code of the best class of all rows; -1 before any row."""
        return labels(self.inner, self._part(X))

    def _part(self, X):
        return np.ascontiguousarray(np.asarray(X)[:, np.asarray(self.columns)])

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.inner.widen(positions, n_classes)
        self.n_classes = n_classes

    def copy(self):
        """Return a model that knows the same and goes its own way."""
        return restore(SubspaceModel, {**self.get_state(), "inner": self.inner.copy()})

    def get_state(self):
        """Return its columns and its model."""
        columns = np.array(self.columns)
        return {**OnlineModel.get_state(self), "columns": columns, "inner": self.inner}

    def set_state(self, state):
        """Become the model whose `get_state` this was."""
        self.__init__(int(state["n_features"]), state["columns"], state["inner"])
        OnlineModel.set_state(self, state)
