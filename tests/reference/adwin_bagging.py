"""Online bagging with an ADWIN drift detector for each member (spec 20).

Randomness: at the first row M seeds are drawn, in index order. For every row, M uniform numbers are
drawn at once; the j-th determines the Poisson(1) count of member j. The seed of a new member j is
the j-th number of the row times 2^31 - 1, rounded down.

Decisions:

* A member predicts a row before it learns it, and its 0/1 error, unweighted, updates its own
  detector. The prediction of an untrained member counts as an error. A member learns the row once,
  with weight k w.
* A detector fires if it cuts its window and its estimate after the row is higher than before it.
* ``replace="worst"``: if any detector fired, the member with the largest estimate (lowest index on
  ties) is replaced, at its index, by a new member with a new detector; at most one for each row.
  "fired": every member whose detector fired is replaced, in index order. Members are replaced after
  all of them have learned the row.
* ``error="after"`` tests a member on a row after it has learned it, as MOA does.
* ``vote="majority"`` counts labels, "soft" adds probabilities; untrained members do not vote.
"""

from __future__ import annotations

from tests.reference.adwin import AdwinReference
from tests.reference.bagging import BaggingReference
from tests.reference.online_bases import first_max, poisson


class ADWINBaggingReference(BaggingReference):
    def __init__(
        self,
        make,
        n_estimators=50,
        delta=0.002,
        replace="worst",
        vote="majority",
        error="before",
        random_state=0,
    ):
        super().__init__(make, n_estimators, vote, random_state)
        self.delta, self.replace, self.error = delta, replace, error
        self.detectors = []
        self.n_replaced = 0

    def times(self, u, wrong, estimate):
        """Return how often a member learns a row; `wrong` and `estimate` precede the row."""
        return poisson(u, 1.0)

    def wrong(self, f, x, y):
        return f.predict_one(x) != y

    def learn(self, x, y, w, guess):
        self.begin()
        self.detectors = self.detectors or [AdwinReference(self.delta) for _ in self.members]
        u = self.rng.random(len(self.members))
        fired = []
        for j, (f, detector) in enumerate(zip(self.members, self.detectors)):
            before, wrong = detector.estimate, self.wrong(f, x, y)
            k = self.times(u[j], wrong, before)
            if k > 0:
                f.learn_one(x, y, k * w)
            if self.error == "after":
                wrong = self.wrong(f, x, y)
            if detector.update(wrong) and detector.estimate > before:
                fired.append(j)
        if fired and self.replace == "worst":
            fired = [first_max([detector.estimate for detector in self.detectors])]
        for j in fired:
            self.members[j], self.detectors[j] = self.fresh(u[j]), AdwinReference(self.delta)
            self.n_replaced += 1
