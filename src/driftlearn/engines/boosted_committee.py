# cython: infer_types=True
"""What every boosted ensemble keeps: a window, members trained on it, and their confidences."""

import cython
import numpy as np

from driftlearn.engines.engine import restore
from driftlearn.kernels import ballots

PIECE = 4096


@cython.cclass
class Boosted:
    """Base of the boosted ensembles, which learn row by row in `_learn_one`.

    Parameters
    ----------
    window : Window
        The newest rows, none yet.
    members : Members
        The members, none yet.

    Attributes
    ----------
    n_rows : int
        Rows learned; the row in hand is number ``n_rows + 1``.
    alpha, id, born : arrays, one entry a member (or more)
        Confidence; running number; row of birth.
    met : uint8 array, one row a member (or more)
        Which classes the window had when the member was trained.
    known : intp array
        The classes of which a row has come, ascending. Nothing depends on any other class, so it
        does not matter when it is announced.
    """

    def __init__(self, window, members):
        self.window = window
        self.members = members
        self.n_rows = 0
        self.n_admitted = 0
        self.known = np.zeros(0, dtype=np.intp)
        self.alpha = np.zeros(8)
        self.id = np.zeros(8, dtype=np.int64)
        self.born = np.zeros(8, dtype=np.int64)
        self.met = np.zeros((8, window.n_classes), dtype=np.uint8)
        self.votes = np.zeros((1, window.n_classes))
        self.now = np.zeros((1, 8), dtype=np.int16)

    def __len__(self):
        return self.members.n

    def learn(self, X, y, w, host=None):
        """Learn all rows, in order.

        If a base learner raises, its row leaves no trace; `n_rows` says how far it went.

        Parameters
        ----------
        X, y, w : arrays
            Features, class codes, positive weights.
        host : object, optional
            What `Guests` need; also ``mark()``, and ``back_to(mark)`` to undo its draws.
        """
        i: cython.Py_ssize_t
        wrong: cython.bint
        self.members.begin(host, np.asarray(X))
        try:
            for i in range(X.shape[0]):
                self.members.vote(X, i, self.now, 0)
                wrong = self._guess() != y[i]
                if self.members.can_fail and self._may_train(wrong):
                    self._learn_or_undo(X, i, y[i], w[i], wrong, host)
                else:
                    self._learn_one(X, i, y[i], w[i], wrong)
        finally:
            self.members.end()

    def _learn_or_undo(self, X, i, y, w, wrong, host):
        mark = host.mark()
        parts = self._parts()
        states = [part.get_state() for part in parts]
        state = self.get_state()
        try:
            self._learn_one(X, i, y, w, wrong)
        except BaseException:
            for part, before in zip(parts, states):
                part.set_state(before)
            self.set_state(state)
            host.back_to(mark)
            raise

    def _parts(self):
        return [self.window, self.members]

    def _may_train(self, wrong):
        return True

    def _learn_one(self, X, i, y, w, wrong):
        raise NotImplementedError

    def _guess(self):
        """Return the class with the most votes for the row in hand; -1 if none is known."""
        best: cython.Py_ssize_t = -1
        for k in range(self.known.shape[0]):
            self.votes[0, self.known[k]] = 0.0
        for j in range(self.members.n):
            self.votes[0, self.now[0, j]] += self.alpha[j]
        for k in range(self.known.shape[0]):
            c = self.known[k]
            if best < 0 or self.votes[0, c] > self.votes[0, best]:
                best = c
        return best

    def _slide(self, X, i, y, w):
        """Put the row in hand into the window, with what the members say about it."""
        self._meet(y)
        self.window.append(X, i, y, w)
        newest = self.window.start + self.window.n - 1
        for j in range(self.window.n_members):
            self.window.codes[newest, j] = self.now[0, j]

    def _meet(self, y):
        for k in range(self.known.shape[0]):
            if self.known[k] == y:
                return
        self.known = np.sort(np.append(self.known, y))

    def _enter(self, m, alpha):
        """Give member number `m`, which has just been admitted, its numbers."""
        if m == self.alpha.shape[0]:
            self.alpha = np.r_[self.alpha, np.zeros(m)]
            self.id = np.r_[self.id, np.zeros(m, dtype=np.int64)]
            self.born = np.r_[self.born, np.zeros(m, dtype=np.int64)]
            self.met = np.r_[self.met, np.zeros_like(self.met)]
            self.now = np.zeros((1, 2 * m), dtype=np.int16)
            self._make_room()
        self.n_admitted += 1
        self.alpha[m] = alpha
        self.id[m] = self.n_admitted
        self.born[m] = self.n_rows + 1
        for c in range(self.met.shape[1]):
            self.met[m, c] = self.window.count[c] > 0

    def _make_room(self):
        """Make working space for as many members as `alpha` has room for."""

    def scores(self, X, host=None):
        """Return the votes for all classes, (rows, classes); -inf where no row of it has come."""
        votes = np.empty((len(X), self.window.n_classes))
        everybody = np.arange(self.members.n)
        for k in range(0, len(X), PIECE):
            said = self.members.ask(X[k : k + PIECE], host)
            votes[k : k + PIECE] = self.count(said, everybody)
        return votes

    def count(self, said, where):
        """Return the votes where it is known what members say: ``said[where[j]]`` is member j's.

        Parameters
        ----------
        said : int8 or int16 array of shape (at least members, rows)
            Class codes.
        where : intp array of shape (members,)
        """
        votes = ballots.count(said, where, self.alpha, self.window.n_classes)
        unknown = np.ones(self.window.n_classes, dtype=bool)
        unknown[np.asarray(self.known)] = False
        votes[:, unknown] = -np.inf
        return votes

    def terms(self):
        """Return what a count depends on besides what members say, as values that compare."""
        return np.array(self.alpha[: self.members.n]).tobytes(), np.array(self.known).tobytes()

    def errors(self):
        """Return the share of the window's weight that each member gets wrong."""
        here = slice(self.window.start, self.window.start + self.window.n)
        wrong = (
            np.asarray(self.window.codes)[here, : self.members.n] != self.window.labels()[:, None]
        )
        w = np.asarray(self.window.w)[here]
        return (w[:, None] * wrong).sum(axis=0) / w.sum()

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        m = self.members.n
        return {
            "id": np.array(self.id[:m]),
            "born": np.array(self.born[:m]),
            "weight": np.array(self.alpha[:m]),
            "error": self.errors(),
            "classes": np.array(self.met[:m]),
            "size": self.members.sizes(),
        }

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        met = np.zeros((self.met.shape[0], n_classes), dtype=np.uint8)
        met[:, positions] = self.met
        self.met = met
        self.known = np.asarray(positions)[np.asarray(self.known)]
        self.votes = np.zeros((1, n_classes))
        self.window.widen(positions, n_classes)
        self.members.widen(positions, n_classes)
        self._make_room()

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers, its window and members."""
        m = self.members.n
        return {
            "n_rows": self.n_rows,
            "n_admitted": self.n_admitted,
            "known": np.array(self.known),
            "alpha": np.array(self.alpha[:m]),
            "id": np.array(self.id[:m]),
            "born": np.array(self.born[:m]),
            "met": np.array(self.met[:m]),
            "window": self.window,
            "members": self.members,
        }

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        Boosted.__init__(self, state["window"], state["members"])
        self.n_rows = int(state["n_rows"])
        self.n_admitted = int(state["n_admitted"])
        self.known = np.array(state["known"], dtype=np.intp)
        empty = np.zeros((2, self.window.n_classes), dtype=np.uint8)
        self.alpha = np.r_[state["alpha"], 0.0, 0.0]
        self.id = np.r_[state["id"], 0, 0].astype(np.int64)
        self.born = np.r_[state["born"], 0, 0].astype(np.int64)
        self.met = np.r_[state["met"], empty].astype(np.uint8)
        self.now = np.zeros((1, len(self.alpha)), dtype=np.int16)
        self._make_room()

    def __reduce__(self):
        return restore, (type(self), self.get_state())
