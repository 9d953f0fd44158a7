# cython: infer_types=True
"""Container for the members of a boosted ensemble and their training window."""

import cython
import numpy as np

from driftlearn.base._engine import Engine
from driftlearn.ensemble._row_window import RowWindow
from driftlearn.ensemble._votes import tally_cached
from driftlearn.ensemble.boosting._fixed_models import FixedModels, roomier
from driftlearn.io.schema import InvalidStateError, a, floats, integer, integers
from driftlearn.utils._class_axis import widened

PIECE = 4096  # rows predicted at a time, so that the members' predictions fit into the cache
MOST_ROWS = 2**62  # no stream is longer; a sum of two such counts still fits into 64 bits
INF = cython.declare(cython.double, np.inf)
BYTE_CODES = 128  # smaller class codes fit into a signed byte


@cython.final
@cython.cclass
class BoostedCommittee(Engine):
    """Models trained on a sliding window, their confidences, and the window itself.

    Each member's prediction for each row of the window is stored with the row. Members are added
    and removed by `admit` and `keep` only, which update all per-member arrays together.

    Parameters
    ----------
    window : RowWindow
        The most recent rows; initially empty.
    models : FixedModels
        The members' models; initially none.

    Attributes
    ----------
    n_rows : int
        Number of rows trained on; the current row has the number ``n_rows + 1``.
    n_admitted : int
        Number of members added so far.
    alpha, id, created_at : arrays with one entry per member, and spare capacity
        Confidence; running number; number of the row at which the member was created.
    member_classes : uint8 array with one row per member, and spare capacity
        Whether each class occurred in the member's training rows.
    known : intp array
        The classes seen so far, ascending. Results do not depend on other classes, so it does not
        matter when a class is declared.
    now : int16 array
        Each member's prediction for the current row, set by `predict_row`.
    predicted : int16 array
        The candidate's predictions for the window's rows, set by `train`.
    trainer : ExternalTrainer or None
        Samples the training rows of a candidate; if None, candidates are trained on the window
        itself.
    training_window : RowWindow
        The rows on which the candidate was trained.
    index : intp array
        The positions of the members to keep, filled in before `keep` is called.
    """

    STATE = {
        "window": a(RowWindow),
        "models": a(FixedModels),
        "n_rows": integer(0, MOST_ROWS),
        "n_admitted": integer(0, MOST_ROWS),
        "known": integers("known", least=0),
        "alpha": floats("members"),
        "id": integers("members"),
        "created_at": integers("members"),
        "member_classes": integers("members", "n_classes", least=0, below=2),
    }
    MEMBER = ("alpha", "id", "created_at", "member_classes")  # arrays with one entry per member

    def __init__(self, window, models):
        self.window = window
        self.models = models
        self.n_rows = 0
        self.n_admitted = 0
        self.known = np.zeros(0, dtype=np.intp)
        self.alpha = np.zeros(0)
        self.id = np.zeros(0, dtype=np.int64)
        self.created_at = np.zeros(0, dtype=np.int64)
        self.member_classes = np.zeros((0, window.n_classes), dtype=np.uint8)
        self._prepare()

    def get_state(self):
        """Return the complete state: arrays, counters, window and models."""
        state = Engine.get_state(self)
        return {**state, **{name: state[name][: self.models.n] for name in self.MEMBER}}

    @staticmethod
    def check_state(state):
        """Raise InvalidStateError unless external models have the committee's classes."""
        book = getattr(state["models"], "book", None)
        if book is not None and len(book.labels) != state["window"].n_classes:
            raise InvalidStateError(
                "The labels of the committee's models do not match the classes of its window."
            )

    def _prepare(self):
        n_classes, known = self.window.n_classes, np.asarray(self.known).tolist()
        lengths = {len(getattr(self, name)) for name in self.MEMBER}
        if not (
            lengths == {self.models.n} == {self.window.n_members}
            and self.member_classes.shape[1] == n_classes
            and known == sorted({*known}) == [c for c in known if 0 <= c < n_classes]
            and self.models.fits(self.window.n_features, n_classes)
        ):
            raise ValueError("The window, models and arrays of the committee are inconsistent.")
        self.trainer = None
        self.votes = np.zeros(n_classes)
        self.predicted = np.zeros(self.window.size, dtype=np.int16)
        self._make_room()

    def _make_room(self):
        for name in self.MEMBER:
            setattr(self, name, roomier(getattr(self, name)))
        self.now = np.zeros(len(self.alpha), dtype=np.int16)
        self.index = np.zeros(len(self.alpha), dtype=np.intp)

    def __len__(self):
        return self.models.n

    def predict_row(self, X, i):
        """Make row `i` of `X` the current row and write each member's prediction to `now`."""
        self.models.vote(X, i, self.now)

    def guess(self):
        """Return the class with the most votes for the current row; -1 before the first row."""
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
        """Write the votes of the last `guess`; -inf for classes not seen yet."""
        votes[:] = -INF
        for k in range(self.known.shape[0]):
            votes[self.known[k]] = self.votes[self.known[k]]

    def slide(self, X, i, y, w):
        """Append the current row to the window, with the members' predictions for it."""
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
        """Train a candidate on the window with these row weights, or on a sample drawn by them."""
        self.training_window = self.window
        if self.trainer is not None:
            self.training_window = self.window.resampled(self.trainer.draw(np.asarray(weights)))
            weights = np.ones(self.training_window.n)
        predicted = self.predicted[: self.window.n]
        self.models.train(self.training_window, weights, self.window, predicted)

    def admit(self, alpha):
        """Add the candidate as the newest member, with confidence `alpha`."""
        m: cython.Py_ssize_t = self.models.n
        self.models.admit()
        self.window.add_member(self.predicted)
        if m == self.alpha.shape[0]:
            self._make_room()
        self.n_admitted += 1
        self.alpha[m] = alpha
        self.id[m] = self.n_admitted
        self.created_at[m] = self.n_rows + 1
        for c in range(self.member_classes.shape[1]):
            self.member_classes[m, c] = self.training_window.count[c] > 0

    def keep(self, n_kept):
        """Remove all members except those at the first `n_kept` positions in `index`, ascending."""
        for k in range(n_kept):
            self.alpha[k] = self.alpha[self.index[k]]
            self.id[k] = self.id[self.index[k]]
            self.created_at[k] = self.created_at[self.index[k]]
            for c in range(self.member_classes.shape[1]):
                self.member_classes[k, c] = self.member_classes[self.index[k], c]
        self.window.select_members(self.index, n_kept)
        self.models.keep(self.index, n_kept)

    def release_rows(self):
        """Release the window's rows when no more members will be trained."""
        self.window = RowWindow(self.window.n_features, self.window.n_classes, 1)
        for _ in range(self.models.n):
            self.window.add_member(self.predicted)

    def scores(self, X):
        """Return the votes, shape (rows, classes); -inf for classes not seen yet."""
        votes = np.empty((len(X), self.window.n_classes))
        all_members = np.arange(self.models.n)
        for k in range(0, len(X), PIECE):
            votes[k : k + PIECE] = self.count(self.models.codes(X[k : k + PIECE]), all_members)
        return votes

    def count(self, predicted, where):
        """Return the votes from predictions; ``predicted[where[j]]`` are those of member j.

        Parameters
        ----------
        predicted : int8 or int16 array of shape (at least members, rows)
            Predicted class codes.
        where : intp array of shape (members,)
            The row of `predicted` that belongs to each member.
        """
        votes = tally_cached(predicted, where, self.alpha, self.window.n_classes)
        unknown = np.ones(self.window.n_classes, dtype=bool)
        unknown[np.asarray(self.known)] = False
        votes[:, unknown] = -np.inf
        return votes

    def keys(self):
        """Return an identifying key for each member: its model, or a tuple of its parameters."""
        return self.models.keys()

    def predict_subset(self, which, X):
        """Return the class codes predicted by the members at these positions, int8 if possible."""
        predicted = self.models.codes(X, which)
        return predicted.astype(np.int8) if self.window.n_classes <= BYTE_CODES else predicted

    def terms(self):
        """Return comparable values of everything `count` depends on except the predictions."""
        return np.array(self.alpha[: self.models.n]).tobytes(), np.array(self.known).tobytes()

    def errors(self):
        """Return each member's weighted error on the window."""
        here = slice(self.window.start, self.window.start + self.window.n)
        predicted = np.asarray(self.window.codes)[here, : self.models.n]
        wrong = predicted != self.window.labels()[:, None]
        w = np.asarray(self.window.w)[here]
        return (w[:, None] * wrong).sum(axis=0) / w.sum()

    def describe(self, errors=None):
        """Return a table of the members, as a dict of columns."""
        m = self.models.n
        return {
            "id": np.array(self.id[:m]),
            "created_at": np.array(self.created_at[:m]),
            "weight": np.array(self.alpha[:m]),
            "error": self.errors() if errors is None else errors,
            "classes": np.array(self.member_classes[:m]),
            "size": self.models.sizes(),
        }

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.member_classes = widened(self.member_classes, positions, n_classes, axis=1)
        self.known = np.asarray(positions)[np.asarray(self.known)]
        self.votes = np.zeros(n_classes)
        self.window.widen(positions, n_classes)
        self.models.widen(positions, n_classes)
