"""Online bagging (Oza & Russell 2001), and what is common to all who learn a row k times.

Randomness: at the first row the M seeds, in index order; then for every row M uniform numbers at
once, member j uses the j-th for Poisson(1).

Decisions: a member learns once with weight k w; with k = 0 it does not see the row. ``vote="soft"``
adds the members' probabilities in index order, "majority" counts labels; untrained members do
neither.
"""

from __future__ import annotations

from tests.reference.common import seed_of
from tests.reference.online_bases import OnlineReference, poisson


class BaggingReference(OnlineReference):
    """Members, made at the first row, and their vote."""

    def __init__(self, make, n_estimators=10, vote="soft", random_state=0):
        super().__init__(random_state)
        self.make, self.n_estimators, self.vote = make, n_estimators, vote
        self.members = []

    def fresh(self, u=None):
        """A model whose seed is drawn, or comes from the number of a row and a member."""
        return self.make(self.seed() if u is None else seed_of(u))

    def begin(self):
        if not self.members:
            self.members = [self.fresh() for _ in range(self.n_estimators)]

    def ballot(self, f, x):
        """What a member gives to every class."""
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
        """How often on average a member learns a row of this class."""
        return 1.0

    def learn(self, x, y, w, guess):
        self.begin()
        rate = self.rate(y)
        for f, u in zip(self.members, self.rng.random(len(self.members))):
            k = poisson(u, rate)
            if k > 0:
                f.learn_one(x, y, k * w)
