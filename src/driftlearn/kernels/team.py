# cython: infer_types=True
"""What every ensemble of online learners keeps, whatever its rules."""

import cython
import numpy as np
from cython.cimports.libc.math import exp

if not cython.compiled:
    from driftlearn.kernels.learner import Learner

from driftlearn.kernels.learner import restore

ID = cython.declare(cython.int, 0)
BORN = cython.declare(cython.int, 1)
STATE = ("n_rows", "n_admitted", "n_features", "n_classes")


@cython.cclass
class Team:
    """Online learners and every number that must move with them.

    A row of `numbers` belongs to a member: its id, the row of its birth, and what the rules of
    the ensemble need. Membership changes through `add`, `drop` and `replace` only.

    Parameters
    ----------
    n_features, n_classes : int
        Shape of the problem; `widen` adds classes.
    n_columns : int
        Numbers kept of a member, id and birth among them.

    Attributes
    ----------
    members : list of Learner
        In the order in which they are asked.
    n_rows : int
        Rows learned; the row in hand is number ``n_rows + 1``.

    Notes
    -----
    Nothing depends on classes of which no row has come yet, so it does not matter when they
    become known: where nobody votes, the first class that *has* come wins.
    """

    def __init__(self, n_features, n_classes, n_columns):
        self.members = []
        self.n_rows = 0
        self.n_admitted = 0
        self.n_features = n_features
        self.n_classes = n_classes
        self.numbers = np.zeros((0, n_columns))
        self.met = np.zeros((0, n_classes), dtype=np.uint8)
        self.seen = np.zeros(n_classes, dtype=np.uint8)
        self.votes = np.zeros(n_classes)

    def __len__(self):
        return len(self.members)

    def add(self, learner):
        """Admit a learner that knows nothing, as the last."""
        self.members.append(None)
        self.numbers = np.vstack([self.numbers, np.zeros((1, self.numbers.shape[1]))])
        self.met = np.vstack([self.met, np.zeros((1, self.n_classes), dtype=np.uint8)])
        self.replace(len(self.members) - 1, learner)

    def drop(self, j):
        """Dismiss the member at position `j`."""
        del self.members[j]
        self.numbers = np.delete(self.numbers, j, axis=0)
        self.met = np.delete(self.met, j, axis=0)

    def replace(self, j, learner):
        """Put a learner that knows nothing in the place of the member at position `j`."""
        self.n_admitted += 1
        self.members[j] = learner
        self.numbers[j, :] = 0.0
        self.numbers[j, ID] = self.n_admitted
        self.numbers[j, BORN] = self.n_rows + 1
        self.met[j, :] = 0

    def _teach(self, j, X, i, y, w):
        cython.cast(Learner, self.members[j]).learn_one(X, i, y, w)
        self.met[j, y] = 1

    def _ask(self, j, X, i):
        return cython.cast(Learner, self.members[j]).predict_one(X, i)

    def _winner(self):
        best: cython.Py_ssize_t = -1
        for c in range(self.n_classes):
            if self.seen[c] and (best < 0 or self.votes[c] > self.votes[best]):
                best = c
        return best

    def weights(self):
        """Return what the vote of each member counts."""
        return np.ones(len(self.members))

    def errors(self):
        """Return how often each member was wrong, by the ensemble's own book."""
        return np.full(len(self.members), np.nan)

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        scores = np.zeros((len(X), self.n_classes))
        for learner, weight in zip(self.members, self.weights()):
            if weight > 0.0:
                said = labels(learner, X)
                rows = np.flatnonzero(said >= 0)
                scores[rows, said[rows]] += weight
        return scores

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        numbers = np.asarray(self.numbers)
        return {
            "id": numbers[:, ID].astype(np.int64),
            "born": numbers[:, BORN].astype(np.int64),
            "weight": self.weights(),
            "error": self.errors(),
            "classes": np.array(self.met),
            "size": [getattr(learner, "n_nodes", None) for learner in self.members],
        }

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        met = np.zeros((len(self.members), n_classes), dtype=np.uint8)
        seen = np.zeros(n_classes, dtype=np.uint8)
        met[:, positions] = self.met
        seen[positions] = self.seen
        self.met, self.seen, self.votes = met, seen, np.zeros(n_classes)
        self.n_classes = n_classes
        for learner in self.members:
            learner.widen(positions, n_classes)

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers and its learners."""
        state = {name: getattr(self, name) for name in STATE}
        return state | {
            "members": list(self.members),
            "numbers": np.array(self.numbers),
            "met": np.array(self.met),
            "seen": np.array(self.seen),
        }

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        self.n_rows = int(state["n_rows"])
        self.n_admitted = int(state["n_admitted"])
        self.n_features = int(state["n_features"])
        self.n_classes = int(state["n_classes"])
        self.members = list(state["members"])
        self.numbers = np.array(state["numbers"], dtype=float)
        self.met = np.array(state["met"], dtype=np.uint8)
        self.seen = np.array(state["seen"], dtype=np.uint8)
        self.votes = np.zeros(self.n_classes)

    def __reduce__(self):
        return restore, (type(self), self.get_state())


def labels(learner, X):
    """Return the class code that a learner gives each row, -1 where it knows nothing."""
    if hasattr(learner, "predict_many"):
        return learner.predict_many(X)
    out: cython.int[::1] = np.empty(X.shape[0], dtype=np.int32)
    for i in range(X.shape[0]):
        out[i] = learner.predict_one(X, i)
    return np.asarray(out)


def poisson(u, lam):
    """Return the Poisson(lam) number that a uniform number stands for, by inversion."""
    k: cython.int = 0
    p: cython.double = exp(-lam)
    c: cython.double = p
    while u >= c and k < 1000:
        k += 1
        p *= lam / k
        c += p
    return k
