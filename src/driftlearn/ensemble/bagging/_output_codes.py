"""A model of two sides in the seat of one of many classes: random output codes."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.utils._row_pointers import row_at, start_of

from driftlearn.base._engine import restore
from driftlearn.io.schema import InvalidStateError, a, flag, integer, integers
from driftlearn.utils._class_axis import widened


@cython.cclass
class CodedModel(OnlineModel):
    """A model that learns a random split of the classes into two sides, and speaks for a side.

    A class gets its side when its first row is learned. Classes pair off in the order in which
    they come: chance decides about the first of a pair, the second gets the other side. So the
    sides have equally many classes, or one differs by one, whenever the classes become known.

    Parameters
    ----------
    inner : OnlineModel
        A model of two classes that knows nothing.
    seed : int
        Decides the split.
    n_classes : int
        Number of classes known so far; `widen` adds more.
    soft : bool
        Whether a class is given the probability of its side, or 1 if that is the side said and
        0 if not. Either way the scores do not sum to 1.

    Attributes
    ----------
    side : ndarray
        The side of each class, 1 or 2; 0 for those that have not come.

    Examples
    --------
    >>> from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
    >>> model = CodedModel(NaiveBayesModel(1, 2), seed=0, n_classes=3, soft=False)
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> model.learn_many(X, np.array([0, 1, 2]), np.ones(3))
    >>> print(np.asarray(model.side), model.predict_one(X, 0), model.predict_one(X, 2))
    [1 2 2] 0 1
    """

    STATE = {
        **OnlineModel.STATE,
        "inner": a(OnlineModel),
        "seed": integer(0),
        "soft": flag(),
        "side": integers("n_classes", least=0, below=3),
    }

    def __init__(self, inner, seed, n_classes, soft):
        OnlineModel.__init__(self, inner.n_features, n_classes)
        self.inner = inner
        self.seed = seed
        self.soft = soft
        self.side = np.zeros(n_classes, dtype=np.int32)
        self.two = np.zeros(2)

    @property
    def n_nodes(self):
        """The size of the model of two sides, where it tells it."""
        return getattr(self.inner, "n_nodes", None)

    @property
    def n_bytes(self):
        """The memory of the model of two sides, where it tells it."""
        return getattr(self.inner, "n_bytes", None)

    def learn_one(self, X, i, y, w):
        """Learn row `i` of `X`, of class `y`, as if it had come `w` times; 0 is never."""
        self._take_row(row_at(X, i), y, w)

    def _take_row(self, row, y, w):
        if w > 0.0:
            if self.side[y] == 0:
                with cython.gil:
                    self.side[y] = self._next_side()
            self.inner._take_row(row, self.side[y] - 1, w)
            self.weight_seen += w
        return 0

    def _take_tested(self, row, y, w):
        return self._take_row(row, y, w)

    def _next_side(self):
        n = np.count_nonzero(self.side)
        bits = np.random.default_rng(self.seed).random(n // 2 + 1) < 0.5
        return 1 + (int(bits[n // 2]) ^ (n & 1))

    def scores_one(self, X, i, out):
        """Write to `out` what row `i`'s classes are given; all are 0 before any row."""
        self._test_row(row_at(X, i), start_of(out))

    def _test_row(self, row, out):
        c: cython.int
        said: cython.int
        if self.soft:
            self.inner._test_row(row, start_of(self.two))
        else:
            said = self.inner._say_row(row)
            for c in range(2):
                self.two[c] = 1.0 if c == said else 0.0
        for c in range(self.n_classes):
            out[c] = self.two[self.side[c] - 1] if self.side[c] > 0 else 0.0
        return -2

    def predict_one(self, X, i):
        """Return the code of the first class on the side that is said; -1 before any row."""
        return self._say_row(row_at(X, i))

    def _say_row(self, row):
        c: cython.int
        said: cython.int = self.inner._say_row(row)
        if said >= 0:
            for c in range(self.n_classes):
                if self.side[c] == said + 1:
                    return c
        return -1

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.n_classes = n_classes
        self.side = widened(self.side, positions, n_classes)

    def copy(self):
        """Return a model that knows the same and goes its own way."""
        return restore(CodedModel, {**self.get_state(), "inner": self.inner.copy()})

    def get_state(self):
        """Return everything the model knows; the model of two sides is in it as it is."""
        return {
            **OnlineModel.get_state(self),
            "inner": self.inner,
            "seed": int(self.seed),
            "soft": bool(self.soft),
            "side": np.array(self.side),
        }

    def set_state(self, state):
        """Become the model whose `get_state` this was."""
        CodedModel.__init__(self, state["inner"], state["seed"], state["n_classes"], state["soft"])
        OnlineModel.set_state(self, state)
        self.side = np.array(state["side"], dtype=np.int32)

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the model has two classes and the features of the whole."""
        if (state["inner"].n_features, state["inner"].n_classes) != (state["n_features"], 2):
            raise InvalidStateError(
                "a model of random codes has not a model of its features and two sides"
            )
