"""Online bagging (Oza & Russell 2001), and the base of ensembles that learn a row k times.

Randomness: at the first row M seeds are drawn, in index order. For every row, M uniform numbers are
drawn at once; the j-th determines the Poisson(1) count of member j.

Decisions: a member learns a row once, with weight k w; with k = 0 it does not learn it.
``vote="soft"`` adds the members' probabilities in index order, "majority" counts labels; untrained
members do not vote.
"""

from __future__ import annotations

from tests.reference.common import seed_of
from tests.reference.online_bases import OnlineReference, poisson


class BaggingReference(OnlineReference):
    """Ensemble that creates its members at the first row and combines their votes."""

    def __init__(self, make, n_estimators=10, vote="soft", random_state=0):
        super().__init__(random_state)
        self.make, self.n_estimators, self.vote = make, n_estimators, vote
        self.members = []

    def fresh(self, u=None):
        """Return a new model; its seed is drawn, or derived from the uniform number `u`."""
        return self.make(self.seed() if u is None else seed_of(u))

    def begin(self):
        if not self.members:
            self.members = [self.fresh() for _ in range(self.n_estimators)]

    def ballot(self, f, x):
        """Return a member's vote for every class."""
        if self.vote == "soft":
            return f.proba_one(x, self.classes)
        prediction = f.predict_one(x)
        return [float(c == prediction) for c in self.classes]

    def score_one(self, x):
        scores = [0.0] * len(self.classes)
        for f in self.members:
            for c, given in enumerate(self.ballot(f, x)):
                scores[c] += given
        return scores


class OnlineBaggingReference(BaggingReference):
    def rate(self, y):
        """Return the mean number of times that a member learns a row of class `y`."""
        return 1.0

    def learn(self, x, y, w, guess):
        self.begin()
        rate = self.rate(y)
        for f, u in zip(self.members, self.rng.random(len(self.members))):
            k = poisson(u, rate)
            if k > 0:
                f.learn_one(x, y, k * w)
