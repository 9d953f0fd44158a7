# cython: infer_types=True
"""The members of a boosted ensemble, and every number that must move with them."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.ensemble.boosting._fixed_models import FixedModels

from driftlearn.ensemble._row_window import RowWindow
from driftlearn.ensemble._votes import tally_cached
from driftlearn.ensemble.boosting._fixed_models import roomier
from driftlearn.io.schema import InvalidStateError, a, floats, integer, integers
from driftlearn.utils._class_axis import widened

PIECE = 4096  # rows asked about at a time: what members say of them stays in the cache
MOST_ROWS = 2**62  # more than any stream has
INF = cython.declare(cython.double, np.inf)
BYTE_CODES = 128  # class codes below this fit into a byte with a sign


@cython.final
@cython.cclass
class BoostedCommittee(Engine):
    """Models trained on a sliding window, their confidences, and the window.

    What each member says about each row of the window is kept with the row. Membership changes
    through `admit` and `keep` only, so that nothing can fall out of step.

    Parameters
    ----------
    window : RowWindow
        The newest rows, none yet.
    models : FixedModels
        The models, none yet.

    Attributes
    ----------
    n_rows : int
        Rows learned; the row in hand is number ``n_rows + 1``.
    n_admitted : int
        Members admitted so far.
    alpha, id, born : arrays, one entry a member, and room for more
        Confidence; running number; row of birth.
    met : uint8 array, one row a member, and room for more
        Which classes the rows had that the member was trained on.
    known : intp array
        The classes of which a row has come, ascending. Nothing depends on any other class, so it
        does not matter when it is announced.
    now : int16 array
        What each member says about the row in hand, after `ask`.
    said : int16 array
        What the candidate says about the window's rows, after `train`.
    trainer : ExternalTrainer or None
        Who draws the rows that a candidate is trained on, where it is not the window itself.
    taught : RowWindow
        The rows that the candidate was trained on.
    index : intp array
        Where to write down who stays, before `keep`.
    """

    STATE = {
        "window": a(RowWindow),
        "models": a(FixedModels),
        "n_rows": integer(0, MOST_ROWS),
        "n_admitted": integer(0, MOST_ROWS),
        "known": integers("known", least=0),
        "alpha": floats("members"),
        "id": integers("members"),
        "born": integers("members"),
        "met": integers("members", "n_classes", least=0, below=2),
    }
    MEMBER = ("alpha", "id", "born", "met")  # those with an entry a member

    def __init__(self, window, models):
        self.window = window
        self.models = models
        self.n_rows = 0
        self.n_admitted = 0
        self.known = np.zeros(0, dtype=np.intp)
        self.alpha = np.zeros(0)
        self.id = np.zeros(0, dtype=np.int64)
        self.born = np.zeros(0, dtype=np.int64)
        self.met = np.zeros((0, window.n_classes), dtype=np.uint8)
        self._prepare()

    def get_state(self):
        """Return everything it knows: arrays, numbers, its window and its models."""
        state = Engine.get_state(self)
        return {**state, **{name: state[name][: self.models.n] for name in self.MEMBER}}

    @staticmethod
    def check_state(state):
        """Raise ValueError if external models know other classes than the committee."""
        book = getattr(state["models"], "book", None)
        if book is not None and len(book.labels) != state["window"].n_classes:
            raise InvalidStateError(
                "the labels of a committee's models are not those of its window"
            )

    def _prepare(self):
        n_classes, known = self.window.n_classes, np.asarray(self.known).tolist()
        lengths = {len(getattr(self, name)) for name in self.MEMBER}
        if not (
            lengths == {self.models.n} == {self.window.n_members}
            and self.met.shape[1] == n_classes
            and known == sorted({*known}) == [c for c in known if 0 <= c < n_classes]
            and self.models.fits(self.window.n_features, n_classes)
        ):
            raise ValueError("window, models and numbers of a committee do not fit together")
        self.trainer = None
        self.votes = np.zeros(n_classes)
        self.said = np.zeros(self.window.size, dtype=np.int16)
        self._make_room()

    def _make_room(self):
        for name in self.MEMBER:
            setattr(self, name, roomier(getattr(self, name)))
        self.now = np.zeros(len(self.alpha), dtype=np.int16)
        self.index = np.zeros(len(self.alpha), dtype=np.intp)

    def __len__(self):
        return self.models.n

    def ask(self, X, i):
        """Take row `i` of `X` in hand: `now` is what each member says about it."""
        self.models.vote(X, i, self.now)

    def guess(self):
        """Return the class with the most votes for the row in hand; -1 if none is known."""
        best: cython.Py_ssize_t = -1
        for k in range(self.known.shape[0]):
            self.votes[self.known[k]] = 0.0
        for j in range(self.models.n):
            self.votes[self.now[j]] += self.alpha[j]
        for k in range(self.known.shape[0]):
            c = self.known[k]
            if best < 0 or self.votes[c] > self.votes[best]:
                best = c
        return best

    def votes_now(self, votes):
        """Write the votes of the last `guess`; -inf where no row of a class has come."""
        votes[:] = -INF
        for k in range(self.known.shape[0]):
            votes[self.known[k]] = self.votes[self.known[k]]

    def slide(self, X, i, y, w):
        """Put the row in hand into the window, with what the members say about it."""
        self._meet(y)
        self.window.append(X, i, y, w)
        newest = self.window.start + self.window.n - 1
        for j in range(self.window.n_members):
            self.window.codes[newest, j] = self.now[j]

    def _meet(self, y):
        for k in range(self.known.shape[0]):
            if self.known[k] == y:
                return
        self.known = np.sort(np.append(self.known, y))

    def train(self, weights):
        """Train a candidate on the rows of the window, so weighted, or on a draw by the weights."""
        self.taught = self.window
        if self.trainer is not None:
            self.taught = self.window.resampled(self.trainer.draw(np.asarray(weights)))
            weights = np.ones(self.taught.n)
        self.models.train(self.taught, weights, self.window, self.said[: self.window.n])

    def admit(self, alpha):
        """Make the candidate the newest member, with this confidence."""
        m: cython.Py_ssize_t = self.models.n
        self.models.admit()
        self.window.add_member(self.said)
        if m == self.alpha.shape[0]:
            self._make_room()
        self.n_admitted += 1
        self.alpha[m] = alpha
        self.id[m] = self.n_admitted
        self.born[m] = self.n_rows + 1
        for c in range(self.met.shape[1]):
            self.met[m, c] = self.taught.count[c] > 0

    def keep(self, n_kept):
        """Dismiss all members but those at the first `n_kept` positions in `index`, ascending."""
        for k in range(n_kept):
            self.alpha[k] = self.alpha[self.index[k]]
            self.id[k] = self.id[self.index[k]]
            self.born[k] = self.born[self.index[k]]
            for c in range(self.met.shape[1]):
                self.met[k, c] = self.met[self.index[k], c]
        self.window.select_members(self.index, n_kept)
        self.models.keep(self.index, n_kept)

    def forget_rows(self):
        """Let go of the window's rows: no member will be trained any more."""
        self.window = RowWindow(self.window.n_features, self.window.n_classes, 1)
        for _ in range(self.models.n):
            self.window.add_member(self.said)

    def scores(self, X):
        """Return the votes for all classes, (rows, classes); -inf where no row of it has come."""
        votes = np.empty((len(X), self.window.n_classes))
        everybody = np.arange(self.models.n)
        for k in range(0, len(X), PIECE):
            votes[k : k + PIECE] = self.count(self.models.ask(X[k : k + PIECE]), everybody)
        return votes

    def count(self, said, where):
        """Return the votes where it is known what members say: ``said[where[j]]`` is member j's.

        Parameters
        ----------
        said : int8 or int16 array of shape (at least members, rows)
            Class codes.
        where : intp array of shape (members,)
        """
        votes = tally_cached(said, where, self.alpha, self.window.n_classes)
        unknown = np.ones(self.window.n_classes, dtype=bool)
        unknown[np.asarray(self.known)] = False
        votes[:, unknown] = -np.inf
        return votes

    def keys(self):
        """Return what tells members apart: models, or tuples of all the numbers that make one."""
        return self.models.keys()

    def predict_subset(self, which, X):
        """Return the codes that the members at these positions give each row, in few bytes."""
        said = self.models.ask(X, which)
        return said.astype(np.int8) if self.window.n_classes <= BYTE_CODES else said

    def terms(self):
        """Return what a count depends on besides what members say, as values that compare."""
        return np.array(self.alpha[: self.models.n]).tobytes(), np.array(self.known).tobytes()

    def errors(self):
        """Return the share of the window's weight that each member gets wrong."""
        here = slice(self.window.start, self.window.start + self.window.n)
        said = np.asarray(self.window.codes)[here, : self.models.n]
        wrong = said != self.window.labels()[:, None]
        w = np.asarray(self.window.w)[here]
        return (w[:, None] * wrong).sum(axis=0) / w.sum()

    def describe(self, errors=None):
        """Return a table of the members, as a dict of columns."""
        m = self.models.n
        return {
            "id": np.array(self.id[:m]),
            "created_at": np.array(self.born[:m]),
            "weight": np.array(self.alpha[:m]),
            "error": self.errors() if errors is None else errors,
            "classes": np.array(self.met[:m]),
            "size": self.models.sizes(),
        }

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.met = widened(self.met, positions, n_classes, axis=1)
        self.known = np.asarray(positions)[np.asarray(self.known)]
        self.votes = np.zeros(n_classes)
        self.window.widen(positions, n_classes)
        self.models.widen(positions, n_classes)
