# cython: infer_types=True
"""Engines, the compiled loops of online ensembles, and the loop that learns row by row."""

import cython
import numpy as np

from driftlearn.base._engine import Engine
from driftlearn.ensemble._committee_checks import committee_of
from driftlearn.io.schema import anything


@cython.cclass
class CommitteeEngine(Engine):
    """Base of the engines of online ensembles, whose members are in a committee.

    Members vote by class probabilities if the option `vote` is "soft", else by labels. A subclass
    describes its options in `STATE`, and overrides `weights` and `errors`, where these are not
    columns of the committee.

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
        if "options" in self.STATE:
            self.soft = self.options.get("vote") == "soft"

    def _start(self, X, y, w, draws, keeps_votes):
        """Store the arguments of a call of `learn`, until it calls `_stop`."""
        self.X, self.y, self.w, self.u, self.draws = X, y, w, draws.u, draws
        self.keeps_votes = keeps_votes

    def _stop(self):
        self.X = self.y = self.w = self.u = self.draws = None

    def combine(self, row, votes):
        """Write the votes on a row with the weights in `committee.vote_weights`."""
        if self.soft:
            return self.committee.blend_row(row, votes)
        return self.committee.vote_row(row, votes)

    def weights(self):
        """Return the weight of each member's vote."""
        return self.committee["weight"]

    def errors(self):
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
        return self.committee.describe(self.weights(), self.errors())

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, of which old class ``c`` is now ``positions[c]``."""
        for name in self.STATE:
            part = getattr(self, name)
            for each in part if isinstance(part, list) else [part]:
                if hasattr(each, "widen"):
                    each.widen(positions, n_classes)
        self._prepare()


@cython.cclass
class RowEngine(CommitteeEngine):
    """Base of the engines that learn row by row; a subclass implements `_learn_row`."""

    def _prepare(self):
        CommitteeEngine._prepare(self)
        self.votes = np.zeros(self.committee.n_classes)

    def learn(self, X, y, w, draws, scores=None):
        """Learn all rows, in order.

        Parameters
        ----------
        X, y, w : arrays
            Rows, class codes, weights.
        draws : Draws
            Uniform numbers for each row, which may change for later rows when it creates a model.
        scores : array of shape (rows, classes), optional
            Filled with the votes on each row before it is learned.
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
        """Learn row `i`; write the votes on it before that to `votes`, if `keeps_votes`."""
        raise NotImplementedError(f"{type(self).__name__} must implement _learn_row")

    def _end_row(self, i):
        """Do what is due after row `i`, which counts as learned even if this fails."""
        return 0
