# cython: infer_types=True
"""Wrapper that trains an online model on a subset of the features."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel, RowModel
    from driftlearn.utils._row_pointers import row_at

from driftlearn.base._engine import restore
from driftlearn.base._probabilities import labels
from driftlearn.io.schema import a, integers


@cython.cclass
class SubspaceModel(RowModel):
    """Online model that passes selected features of each row to an inner model.

    Parameters
    ----------
    n_features : int
        Number of features of a row.
    columns : int array
        The features that the inner model uses.
    inner : OnlineModel
        The wrapped model; its number of features is the length of `columns`.

    Examples
    --------
    >>> from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
    >>> model = SubspaceModel(3, np.array([2]), NaiveBayesModel(1, 2))
    >>> X = np.array([[9.0, 9.0, 0.0], [9.0, 9.0, 1.0], [0.0, 0.0, 0.9]])
    >>> model.learn_many(X[:2], np.array([0, 1]), np.ones(2))
    >>> model.predict_one(X, 2)
    1
    """

    STATE = {
        **RowModel.STATE,
        "columns": integers("columns", least=0, below="n_features"),
        "inner": a(OnlineModel, n_features="columns", n_classes="n_classes"),
    }

    def __init__(self, n_features, columns, inner):
        RowModel.__init__(self, n_features, inner.n_classes)
        self.columns = np.array(columns, dtype=np.int32)
        self.inner = inner
        self._prepare()

    def _prepare(self):
        self.part = np.zeros((1, len(self.columns)))

    @property
    def model(self):
        """The inner model; for an external classifier, the classifier itself."""
        return getattr(self.inner, "model", self.inner)

    @property
    def n_nodes(self):
        """Number of nodes of the inner model; None if it has no nodes."""
        return getattr(self.inner, "n_nodes", None)

    @property
    def n_bytes(self):
        """Memory of the inner model; None if unknown."""
        return getattr(self.inner, "n_bytes", None)

    def _is_free(self):
        return self.inner._is_free()

    def _learn_row(self, row, y, w):
        self.inner._learn_row(self._part_of(row), y, w)
        self.weight_seen = self.inner.weight_seen
        return 0

    def _learn_tested_row(self, row, y, w):
        # `part` still holds the features of this row, which was tested last.
        self.inner._learn_tested_row(row_at(self.part, 0), y, w)
        self.weight_seen = self.inner.weight_seen
        return 0

    def _predict_row(self, row):
        return self.inner._predict_row(self._part_of(row))

    def _test_row(self, row, out):
        return self.inner._test_row(self._part_of(row), out)

    def _part_of(self, row):
        """Return the selected features of a row."""
        for k in range(self.columns.shape[0]):
            self.part[0, k] = row[self.columns[k]]
        return row_at(self.part, 0)

    def scores_many(self, X, out):
        """Write the class scores of all rows to `out`, of shape (rows, n_classes)."""
        self.inner.scores_many(self._part(X), out)

    def predict_many(self, X):
        """Return the class code predicted for each row; -1 before training."""
        return labels(self.inner, self._part(X))

    def _part(self, X):
        return np.ascontiguousarray(np.asarray(X)[:, np.asarray(self.columns)])

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.inner.widen(positions, n_classes)
        self.n_classes = n_classes

    def copy(self):
        """Return an independent copy."""
        return restore(SubspaceModel, {**self.get_state(), "inner": self.inner.copy()})
