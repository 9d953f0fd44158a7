"""Random output codes: a binary model in place of a multiclass model."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel, RowModel
    from driftlearn.utils._row_pointers import start_of

from driftlearn.base._engine import restore
from driftlearn.io.schema import a, flag, integer, integers
from driftlearn.utils._class_axis import widened


@cython.cclass
class OutputCodeModel(RowModel):
    """Random output code: a binary model that separates two random groups of classes.

    A class is assigned to a group at its first training row. Classes are paired in the order of
    their first rows: the first class of a pair is assigned to a random group, the second class to
    the other group. The group sizes therefore never differ by more than one. The model votes for
    all classes of the predicted group.

    Parameters
    ----------
    inner : OnlineModel
        An untrained model of two classes.
    seed : int
        Seed of the split.
    n_classes : int
        Initial number of classes; `widen` adds classes.
    soft : bool
        Whether the score of a class is the probability of its group, or 1 if its group is
        predicted and 0 otherwise. Either way the scores do not sum to 1.

    Attributes
    ----------
    side : ndarray
        The group of each class, 1 or 2; 0 for classes that have not occurred.

    Examples
    --------
    >>> from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
    >>> model = OutputCodeModel(NaiveBayesModel(1, 2), seed=0, n_classes=3, soft=False)
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> model.learn_many(X, np.array([0, 1, 2]), np.ones(3))
    >>> print(np.asarray(model.side), model.predict_one(X, 0), model.predict_one(X, 2))
    [1 2 2] 0 1
    """

    STATE = {
        **RowModel.STATE,
        "inner": a(OnlineModel, n_features="n_features", n_classes=2),
        "seed": integer(0),
        "soft": flag(),
        "side": integers("n_classes", least=0, below=3),
    }

    def __init__(self, inner, seed, n_classes, soft):
        RowModel.__init__(self, inner.n_features, n_classes)
        self.inner = inner
        self.seed = seed
        self.soft = soft
        self.side = np.zeros(n_classes, dtype=np.int32)
        self._prepare()

    def _prepare(self):
        self.two = np.zeros(2)

    @property
    def n_nodes(self):
        """Number of nodes of the binary model; None if it has no nodes."""
        return getattr(self.inner, "n_nodes", None)

    @property
    def n_bytes(self):
        """Memory of the binary model; None if unknown."""
        return getattr(self.inner, "n_bytes", None)

    def _learn_row(self, row, y, w):
        if w > 0.0:
            if self.side[y] == 0:
                with cython.gil:
                    self.side[y] = self._next_side()
            self.inner._learn_row(row, self.side[y] - 1, w)
            self.weight_seen += w
        return 0

    def _next_side(self):
        # The bits are drawn anew from the seed: the side of a class depends only on the order of
        # the classes, and the model needs no generator in its state.
        n = np.count_nonzero(self.side)
        bits = np.random.default_rng(self.seed).random(n // 2 + 1) < 0.5
        # The second class of a pair takes the other side than the first, which has drawn the bit.
        return 1 + (int(bits[n // 2]) ^ (n & 1))

    def _test_row(self, row, out):
        c: cython.int
        group: cython.int
        if self.soft:
            self.inner._test_row(row, start_of(self.two))
        else:
            group = self.inner._predict_row(row)
            for c in range(2):
                self.two[c] = 1.0 if c == group else 0.0
        for c in range(self.n_classes):
            out[c] = self.two[self.side[c] - 1] if self.side[c] > 0 else 0.0
        return -2

    def _predict_row(self, row):
        c: cython.int
        group: cython.int = self.inner._predict_row(row)
        if group >= 0:
            for c in range(self.n_classes):
                if self.side[c] == group + 1:
                    return c
        return -1

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.n_classes = n_classes
        self.side = widened(self.side, positions, n_classes)

    def copy(self):
        """Return an independent copy."""
        return restore(OutputCodeModel, {**self.get_state(), "inner": self.inner.copy()})
