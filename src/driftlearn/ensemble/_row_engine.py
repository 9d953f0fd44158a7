# cython: infer_types=True
"""Engines (compiled training loops) of online ensembles, and the loop that trains row by row."""

import cython
import numpy as np

from driftlearn.base._engine import Engine
from driftlearn.ensemble._committee_checks import committee_of
from driftlearn.io.schema import anything

HEAP_TYPE = 1 << 9  # flag Py_TPFLAGS_HEAPTYPE of classes that a Python class statement created


@cython.cclass
class CommitteeEngine(Engine):
    """Base class of the engines of online ensembles whose members are in a committee.

    Members vote by class probabilities if the option `vote` is "soft", else by labels. A subclass
    describes its options in `STATE`, and overrides `weights` and `errors` if these are not columns
    of the committee.

    Parameters
    ----------
    committee : OnlineCommittee
        The members.
    options : dict
        The classifier's parameters by name.
    """

    STATE = {"committee": committee_of(), "options": anything()}

    def __init__(self, committee, options):
        self.committee = committee
        self.options = options
        self._prepare()

    def _prepare(self):
        kind = type(self)
        if cython.compiled and kind.__flags__ & HEAP_TYPE:
            raise TypeError(
                f"{kind.__name__} is a Python class, but its base class {kind.__base__.__name__} "
                "is compiled and does not call overridden methods. Add a .pxd file beside "
                f"{kind.__module__} and build it, or set DRIFTLEARN_PURE=1."
            )
        if "options" in self.STATE:
            self.soft = self.options.get("vote") == "soft"

    def _start(self, X, y, w, draws, keeps_votes):
        """Store the arguments of `learn` until `_stop` is called."""
        self.X, self.y, self.w, self.u, self.draws = X, y, w, draws.u, draws
        self.keeps_votes = keeps_votes

    def _stop(self):
        self.X = self.y = self.w = self.u = self.draws = None

    def combine(self, row, votes):
        """Write the votes on a row, weighted by `committee.vote_weights`."""
        if self.soft:
            return self.committee.blend_row(row, votes)
        return self.committee.vote_row(row, votes)

    def weights(self):
        """Return the voting weight of each member."""
        return self.committee["weight"]

    def member_errors(self):
        """Return the error of each member; nan for members that are not tested."""
        return np.full(len(self.committee), np.nan)

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        return self.combined(X, self.weights())

    def combined(self, X, weights):
        """Return the votes with these voting weights: (rows, classes)."""
        return (self.committee.blend if self.soft else self.committee.tally)(X, weights)

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        return self.committee.describe(self.weights(), self.member_errors())

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        for name in self.STATE:
            part = getattr(self, name)
            for each in part if isinstance(part, list) else [part]:
                if hasattr(each, "widen"):
                    each.widen(positions, n_classes)
        self._prepare()


@cython.cclass
class RowEngine(CommitteeEngine):
    """Base class of engines that train row by row; a subclass implements `_learn_row`."""

    def _prepare(self):
        CommitteeEngine._prepare(self)
        self.votes = np.zeros(self.committee.n_classes)

    def learn(self, X, y, w, draws, scores=None):
        """Train on all rows in order.

        Parameters
        ----------
        X, y, w : arrays
            Rows, class codes, weights.
        draws : Draws
            Uniform random numbers for each row; those of later rows may change when a model is
            created.
        scores : array of shape (rows, classes), optional
            Output: the votes on each row before training on it.
        """
        votes = self.votes
        self._start(X, y, w, draws, scores is not None)
        try:
            for i in range(X.shape[0]):
                if self.keeps_votes:
                    votes = scores[i]
                self.committee.begin_row()
                self._learn_row(i, votes)
                self.committee.n_rows += 1
                self._end_row(i)
        finally:
            self._stop()

    def _learn_row(self, i, votes):
        """Train on row `i`; with `keeps_votes`, first write the votes on the row to `votes`."""
        raise NotImplementedError(f"{type(self).__name__} must implement _learn_row")

    def _end_row(self, i):
        """Run the updates due after row `i`; if they fail, the row still counts as trained on."""
        return 0
