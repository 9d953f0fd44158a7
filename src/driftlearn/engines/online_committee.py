# cython: infer_types=True
"""The members of an ensemble of online models, and every number that must move with them."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.engines.engine import Engine
    from driftlearn.engines.online_model import OnlineModel

from driftlearn.kernels.class_axis import widened


@cython.cclass
class OnlineCommittee(Engine):
    """Online models with a table that has a row of numbers a member.

    Membership changes through `add`, `drop` and `replace` only, so that nothing can fall out of
    step. A column of the table is read and written by its name, ``committee["weight"]``; things
    that are no numbers, a detector for instance, are lists beside it, one entry a member.

    Parameters
    ----------
    n_features, n_classes : int
        Shape of the problem; `widen` adds classes.
    columns : tuple of str, default=("weight", "error")
        Numbers kept of a member besides its ``"id"`` and ``"born"``, the row of its birth. A
        weight starts at 1, any other number at 0.

    Attributes
    ----------
    models : list of OnlineModel
        In the order in which they are asked.
    n_rows : int
        Rows learned; the row in hand is number ``n_rows + 1``.
    things : dict of str to list
        What else belongs to members.

    Notes
    -----
    Nothing depends on classes of which no row has come yet, so it does not matter when they
    become known: where nobody votes, the first class that *has* come wins.

    Examples
    --------
    >>> from driftlearn.engines.naive_bayes import NaiveBayesModel
    >>> committee = OnlineCommittee(n_features=1, n_classes=2)
    >>> for weight in (1.0, 0.5):
    ...     committee.add(NaiveBayesModel(1, 2), weight=weight)
    >>> X = np.array([[0.0], [1.0]])
    >>> committee.teach(X, 0, 0, np.array([1.0, 1.0]))
    >>> committee.teach(X, 1, 1, np.array([0.0, 3.0]))
    >>> committee.ask(X, 1)
    array([0, 1], dtype=int32)
    >>> committee.tally(X, committee["weight"])
    array([[1.5, 0. ],
           [1. , 0.5]])
    """

    STATE = (
        "n_features", "n_classes", "columns", "models", "numbers", "met", "seen", "things",
        "n_rows", "n_admitted",
    )  # fmt: skip

    def __init__(self, n_features, n_classes, columns=("weight", "error")):
        self.n_features = n_features
        self.n_classes = n_classes
        self.columns = ("id", "born", *columns)
        self.models = []
        self.things = {}
        self.numbers = np.zeros((0, len(self.columns)))
        self.met = np.zeros((0, n_classes), dtype=np.uint8)
        self.seen = np.zeros(n_classes, dtype=np.uint8)
        self.n_rows = 0
        self.n_admitted = 0
        self._prepare()

    def _prepare(self):
        self.votes = np.zeros(self.n_classes)

    def __len__(self):
        return len(self.models)

    def __getitem__(self, column):
        """Return a column of the table, to be read or written: one number a member."""
        if column in self.things:
            return self.things[column]
        return np.asarray(self.numbers)[:, self.columns.index(column)]

    def __setitem__(self, column, values):
        np.asarray(self.numbers)[:, self.columns.index(column)] = values

    def add(self, model, **row):
        """Admit a model that knows nothing, as the last member, with its numbers and things."""
        self.models.append(model)
        self.numbers = np.vstack([self.numbers, np.zeros((1, len(self.columns)))])
        self.met = np.vstack([self.met, np.zeros((1, self.n_classes), dtype=np.uint8)])
        for name in {**self.things, **row}:
            if name not in self.columns:
                self.things.setdefault(name, [None] * (len(self.models) - 1)).append(None)
        self.replace(len(self.models) - 1, model, **row)

    def drop(self, j):
        """Dismiss the member at position `j`."""
        del self.models[j]
        self.numbers = np.delete(self.numbers, j, axis=0)
        self.met = np.delete(self.met, j, axis=0)
        for things in self.things.values():
            del things[j]

    def replace(self, j, model, **row):
        """Put a model that knows nothing in the place of the member at position `j`."""
        self.n_admitted += 1
        self.models[j] = model
        self.met[j, :] = 0
        self.numbers[j, :] = 0.0
        known = {"id": self.n_admitted, "born": self.n_rows + 1, "weight": 1.0, **row}
        for name, value in known.items():
            if name in self.columns:
                self.numbers[j, self.columns.index(name)] = value
            elif name in self.things:
                self.things[name][j] = value

    def meet(self, y):
        """Take note that a row of class `y` has come."""
        self.seen[y] = 1

    def teach_one(self, j, X, i, y, w):
        """Have member `j` learn row `i` of `X`, of class `y`, as if it had come `w` times."""
        cython.cast(OnlineModel, self.models[j]).learn_one(X, i, y, w)
        self.met[j, y] = 1

    def ask_one(self, j, X, i):
        """Return the code that member `j` gives row `i` of `X`; -1 if it knows nothing yet."""
        return cython.cast(OnlineModel, self.models[j]).predict_one(X, i)

    def teach(self, X, i, y, weights):
        """Have every member learn row `i` of `X`, each with its own weight; 0 passes it over."""
        for j in range(weights.shape[0]):
            if weights[j] > 0.0:
                self.teach_one(j, X, i, y, weights[j])

    def ask(self, X, i):
        """Return the code that each member gives row `i` of `X`; -1 if it knows nothing yet."""
        codes = np.empty(len(self.models), dtype=np.int32)
        out: cython.int[::1] = codes
        for j in range(out.shape[0]):
            out[j] = self.ask_one(j, X, i)
        return codes

    def winner(self):
        """Return the class with the most of `votes` among those that have come; -1 for none."""
        best: cython.Py_ssize_t = -1
        for c in range(self.n_classes):
            if self.seen[c] and (best < 0 or self.votes[c] > self.votes[best]):
                best = c
        return best

    def tally(self, X, weights):
        """Return the sum of the weights of those who name a class: (rows, classes)."""
        scores = np.zeros((len(X), self.n_classes))
        for model, weight in zip(self.models, weights):
            if weight > 0.0:
                said = labels(model, X)
                rows = np.flatnonzero(said >= 0)
                scores[rows, said[rows]] += weight
        return scores

    def blend(self, X, weights):
        """Return the weighted sum of the members' class probabilities: (rows, classes)."""
        scores = np.zeros((len(X), self.n_classes))
        probas = np.zeros_like(scores)
        for model, weight in zip(self.models, weights):
            model.scores_many(X, probas)
            scores += weight * probas
        return scores

    def scores(self, X):
        """Return the vote by the weights in the table."""
        return self.tally(X, self["weight"])

    def describe(self, weights=None, errors=None):
        """Return a table of the members, as a dict of columns."""
        return {
            "id": self["id"].astype(np.int64),
            "born": self["born"].astype(np.int64),
            "weight": np.array(self["weight"] if weights is None else weights),
            "error": np.array(self["error"] if errors is None else errors),
            "classes": np.array(self.met),
            "size": [getattr(model, "n_nodes", None) for model in self.models],
        }

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.met = widened(self.met, positions, n_classes, axis=1)
        self.seen = widened(self.seen, positions, n_classes)
        self.n_classes = n_classes
        self._prepare()
        for model in self.models:
            model.widen(positions, n_classes)


def labels(model, X):
    """Return the code that a model gives each row; -1 where it knows nothing."""
    if hasattr(model, "predict_many"):
        return model.predict_many(X)
    out: cython.int[::1] = np.empty(X.shape[0], dtype=np.int32)
    for i in range(X.shape[0]):
        out[i] = model.predict_one(X, i)
    return np.asarray(out)
