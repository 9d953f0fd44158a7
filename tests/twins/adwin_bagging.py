"""Online bagging whose members are watched by ADWIN (spec 20).

Randomness: at the first row the M seeds, in index order; then for every row M uniform numbers at
once, member j uses the j-th for Poisson(1); seeds of fresh members come after them.

Decisions:

* A member is asked before it learns the row, and its 0/1 error, unweighted, goes to its own
  detector. One that knows nothing yet is not tested. It learns once with weight k w.
* A detector fires if it cuts its window and its estimate after the row is higher than before it.
* ``replace="worst"``: if any fired, the member with the largest estimate (lowest index among
  equals) is replaced in its place by a fresh one with a fresh detector; one a row. "fired": every
  member whose detector fired, in index order. This comes after all have learned the row.
* ``vote="majority"`` counts labels, "soft" adds probabilities; untrained members do neither.
"""

from __future__ import annotations

from twins.adwin import AdwinTwin
from twins.online_bases import OnlineTwin, first_max, poisson


class ADWINBaggingTwin(OnlineTwin):
    def __init__(
        self, make, n_estimators=50, delta=0.002, replace="worst", vote="majority", random_state=0
    ):
        super().__init__(random_state)
        self.make, self.n_estimators, self.delta = make, n_estimators, delta
        self.replace, self.vote = replace, vote
        self.members, self.detectors = [], []
        self.n_replaced = 0

    def learn(self, x, y, w, guess):
        if not self.members:
            self.members = [self.make(self.seed()) for _ in range(self.n_estimators)]
            self.detectors = [AdwinTwin(self.delta) for _ in self.members]
        u = self.rng.random(len(self.members))
        fired = []
        for j, (f, detector) in enumerate(zip(self.members, self.detectors)):
            says, before = f.predict_one(x), detector.estimate
            k = poisson(u[j], 1.0)
            if k > 0:
                f.learn_one(x, y, k * w)
            if says is not None and detector.update(says != y) and detector.estimate > before:
                fired.append(j)
        if fired and self.replace == "worst":
            fired = [first_max([detector.estimate for detector in self.detectors])]
        for j in fired:
            self.members[j], self.detectors[j] = self.make(self.seed()), AdwinTwin(self.delta)
            self.n_replaced += 1

    def score_one(self, x):
        scores = [0.0] * len(self.classes)
        for f in self.members:
            if self.vote == "soft":
                for c, p in enumerate(f.proba_one(x, self.classes)):
                    scores[c] += p
            elif f.predict_one(x) is not None:
                scores[self.classes.index(f.predict_one(x))] += 1.0
        return scores
