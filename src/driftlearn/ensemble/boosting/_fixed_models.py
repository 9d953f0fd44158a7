# cython: infer_types=True
"""Models that are trained once, on a weighted window, and do not change afterwards.

The boosting loops access their base learners through the interface `FixedModels`: `train` a
candidate, `admit` it, `vote`, and `keep` some models; ``codes(X, which)`` returns the class codes
of the rows by the models at positions `which`, and ``keys()`` an identifying key of each model.
`FixedStumps` stores stumps as arrays,
`FixedOnlineModels` holds compiled online models, and `ExternalModels` calls other classifiers in
Python.
"""

import cython
import numpy as np

from driftlearn.base._engine import Engine
from driftlearn.base._online_model import OnlineModel
from driftlearn.base._probabilities import labels
from driftlearn.io.schema import a, floats, integers, list_of, newer
from driftlearn.tree._fit_stump import fit_stump
from driftlearn.utils._class_axis import widened


@cython.cclass
class FixedModels(Engine):
    """Base class of containers for fixed models; a candidate is trained, then admitted or dropped.

    Attributes
    ----------
    n : int
        Number of models, without the candidate.
    can_fail : bool
        Whether training calls third-party code, which may raise any exception.
    """

    def __init__(self):
        self.n = 0
        self.can_fail = False

    def begin(self, X, trainer):
        """Receive the rows that `vote` will refer to, and the trainer of external models."""

    def end(self):
        """Release the rows passed to `begin`."""

    def vote(self, X, i, codes):
        """Write each model's class code for row `i` of `X`."""
        raise NotImplementedError

    def train(self, window, weights, test_window, predicted):
        """Train a candidate on a window; write its class codes for the rows of `test_window`."""
        raise NotImplementedError

    def admit(self):
        """Add the candidate as the newest model."""
        raise NotImplementedError

    def keep(self, index, n_kept):
        """Keep the models at these ascending positions."""
        raise NotImplementedError

    def sizes(self):
        """Return the size of each model, None if it is not defined."""
        return [None] * self.n

    def fits(self, n_features, n_classes):
        """Return whether the models match these numbers of features and classes."""
        return True

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""


@cython.final
@cython.cclass
class FixedStumps(FixedModels):
    """Decision stumps, stored as five parallel arrays.

    Attributes
    ----------
    feature, threshold, left, right, missing_left : arrays with capacity for at least `n` stumps
        Rows with ``x <= threshold`` get the class code `left`, others `right`. If the feature is
        -1, all rows get `left`; if `missing_left` is 1, rows with a missing value get `left`.

    Examples
    --------
    >>> from driftlearn.ensemble._row_window import RowWindow
    >>> window, models = RowWindow(n_features=1, n_classes=2, size=3), FixedStumps()
    >>> X = np.array([[3.0], [1.0], [2.0]])
    >>> for i in range(3):
    ...     window.append(X, i, i % 2, 1.0)
    >>> predicted = np.empty(3, dtype=np.int16)
    >>> models.train(window, np.ones(3), window, predicted)
    >>> predicted
    array([0, 1, 0], dtype=int16)
    """

    STATE = {
        "feature": integers("n", least=-1),
        "threshold": floats("n", finite=False),
        "left": integers("n", least=0),
        "right": integers("n", least=0),
        "missing_left": newer(integers("n", least=0, below=2)),
    }

    def __init__(self):
        self.feature = np.empty(0, dtype=np.int32)
        self.threshold = np.empty(0)
        self.left = np.empty(0, dtype=np.int16)
        self.right = np.empty(0, dtype=np.int16)
        self.missing_left = np.empty(0, dtype=np.uint8)
        self._prepare()

    def set_state(self, state):
        """Restore the stumps from a state; in old states missing values go left."""
        old = {"missing_left": np.ones(len(state["feature"]), dtype=np.uint8)}
        Engine.set_state(self, {**old, **state})

    def get_state(self):
        """Return a dict of the five arrays, without spare capacity."""
        return {name: room[: self.n] for name, room in Engine.get_state(self).items()}

    def _prepare(self):
        self.n = len(self.feature)
        self.can_fail = False
        if {len(getattr(self, name)) for name in self.STATE} != {self.n}:
            raise ValueError("The arrays of the stumps differ in length.")
        self._make_room()

    def _make_room(self):
        for name in self.STATE:
            setattr(self, name, roomier(getattr(self, name)))

    def vote(self, X, i, codes):
        """Write each stump's class code for row `i` of `X`."""
        for j in range(self.n):
            f = self.feature[j]
            goes_left = f < 0 or X[i, f] <= self.threshold[j]
            # nan is the only value that differs from itself.
            if f >= 0 and X[i, f] != X[i, f]:
                goes_left = self.missing_left[j]
            codes[j] = self.left[j] if goes_left else self.right[j]

    def train(self, window, weights, test_window, predicted):
        """Train a candidate on a window; write its class codes for the rows of `test_window`."""
        window.sort()
        X: cython.double[:, ::1] = window.X[window.start : window.start + window.n]
        y: cython.Py_ssize_t[::1] = window.y[window.start : window.start + window.n]
        feature, threshold, left, right, missing_left = fit_stump(
            X, window.order, y, weights, window.n_classes
        )
        if self.n == self.feature.shape[0]:
            self._make_room()
        self.feature[self.n] = feature
        self.threshold[self.n] = threshold
        self.left[self.n] = _heaviest(left, window.count)
        self.right[self.n] = _heaviest(right, window.count)
        self.missing_left[self.n] = missing_left
        stop = test_window.start + test_window.n
        self._predict_one(self.n, test_window.X[test_window.start : stop], predicted)

    def _predict_one(self, j, X, predicted):
        f = self.feature[j]
        threshold = self.threshold[j]
        left = self.left[j]
        right = self.right[j]
        missing = left if self.missing_left[j] else right
        for i in range(X.shape[0]):
            predicted[i] = left if f < 0 or X[i, f] <= threshold else right
            if f >= 0 and X[i, f] != X[i, f]:
                predicted[i] = missing

    def admit(self):
        """Add the candidate as the newest stump."""
        self.n += 1

    def keep(self, index, n_kept):
        """Keep the stumps at these ascending positions."""
        for k in range(n_kept):
            self.feature[k] = self.feature[index[k]]
            self.threshold[k] = self.threshold[index[k]]
            self.left[k] = self.left[index[k]]
            self.right[k] = self.right[index[k]]
            self.missing_left[k] = self.missing_left[index[k]]
        self.n = n_kept

    def codes(self, X, which=None):
        """Return the class code of each row by each stump, or by those at positions `which`."""
        chosen: cython.const[cython.Py_ssize_t][::1] = _positions(which, self.n)
        rows: cython.const[cython.double][:, ::1] = X
        codes = np.empty((len(chosen), len(X)), dtype=np.int16)
        out: cython.short[:, ::1] = codes
        for k in range(chosen.shape[0]):
            self._predict_one(chosen[k], rows, out[k])
        return codes

    def keys(self):
        """Return the five parameters of each stump as a tuple."""
        return list(zip(*(numbers.tolist() for numbers in self.get_state().values())))

    def fits(self, n_features, n_classes):
        """Return whether all features and class codes of the stumps are within range."""
        feature, _, *sides, _ = self.get_state().values()
        codes = np.concatenate(sides)
        return bool((feature < n_features).all() and ((codes >= 0) & (codes < n_classes)).all())

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        for side in (np.asarray(self.left)[: self.n], np.asarray(self.right)[: self.n]):
            side[:] = np.asarray(positions)[side]


@cython.cclass
class ListedModels(FixedModels):
    """Base class of containers that hold models in a list; a subclass implements `_codes`.

    Attributes
    ----------
    models : list
        The models, oldest first.
    """

    def _prepare(self):
        self.n = len(self.models)
        self.can_fail = False

    def admit(self):
        """Add the candidate as the newest model."""
        self.models.append(self.candidate)
        self.n += 1

    def keep(self, index, n_kept):
        """Keep the models at these ascending positions."""
        self.models = [self.models[index[k]] for k in range(n_kept)]
        self.n = n_kept

    def codes(self, X, which=None):
        """Return the class code of each row by each model, or by those at positions `which`."""
        chosen = self.models if which is None else [self.models[k] for k in which]
        codes = np.empty((len(chosen), len(X)), dtype=np.int16)
        for k, model in enumerate(chosen):
            codes[k] = self._codes(model, X)
        return codes

    def keys(self):
        """Return the models."""
        return list(self.models)


@cython.final
@cython.cclass
class FixedOnlineModels(ListedModels):
    """Compiled online models, each trained once on the window's rows in order.

    A model that abstains on a row counts as predicting the first class.

    Parameters
    ----------
    blank : OnlineModel
        An untrained model, which is copied for each candidate.

    Attributes
    ----------
    models : list of OnlineModel
        The models, oldest first.
    """

    STATE = {"blank": a(OnlineModel), "models": list_of(a(OnlineModel))}

    def __init__(self, blank):
        self.blank = blank
        self.models = []
        self._prepare()

    def vote(self, X, i, codes):
        """Write each model's class code for row `i` of `X`."""
        for j in range(self.n):
            model = cython.cast(OnlineModel, self.models[j])
            codes[j] = max(0, model.predict_one(X, i))

    def train(self, window, weights, test_window, predicted):
        """Train a candidate on a window; write its class codes for the rows of `test_window`."""
        X: cython.double[:, ::1] = window.X[window.start : window.start + window.n]
        y: cython.Py_ssize_t[::1] = window.y[window.start : window.start + window.n]
        candidate: OnlineModel = self.blank.copy()
        self.candidate = candidate
        candidate.learn_many(X, y, weights)
        for k in range(test_window.n):
            predicted[k] = max(0, candidate.predict_one(test_window.X, test_window.start + k))

    def _codes(self, model, X):
        return np.maximum(labels(model, X), 0)

    def sizes(self):
        """Return the number of nodes of each model, None for models without nodes."""
        return [getattr(model, "n_nodes", None) for model in self.models]

    def fits(self, n_features, n_classes):
        """Return whether all models have these numbers of features and classes."""
        shapes = [(model.n_features, model.n_classes) for model in [self.blank, *self.models]]
        return all(shape == (n_features, n_classes) for shape in shapes)

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        for model in [self.blank, *self.models]:
            model.widen(positions, n_classes)


def roomier(array):
    """Return the array padded with zeros to twice its length, at least eight entries.

    Examples
    --------
    >>> roomier(np.array([1.5]))
    array([1.5, 0. , 0. , 0. , 0. , 0. , 0. , 0. ])
    """
    n = len(array)
    return widened(array, np.arange(n), max(8, 2 * n))


def _positions(which, n):
    return np.arange(n) if which is None else np.asarray(which, dtype=np.intp)


def _heaviest(weights, count):
    """Return the class with the largest total weight in the window."""
    best: cython.short = -1
    for c in range(weights.shape[0]):
        if count[c] > 0 and (best < 0 or weights[c] > weights[best]):
            best = c
    return best
