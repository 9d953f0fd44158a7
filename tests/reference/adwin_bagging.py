"""Online bagging whose members are watched by ADWIN (spec 20).

Randomness: at the first row the M seeds, in index order; then for every row M uniform numbers at
once, member j uses the j-th for Poisson(1). The seed of a fresh member j is that number of the row
times 2^31 - 1, rounded down.

Decisions:

* A member is asked before it learns the row, and its 0/1 error, unweighted, goes to its own
  detector. One that knows nothing yet is wrong. It learns once with weight k w.
* A detector fires if it cuts its window and its estimate after the row is higher than before it.
* ``replace="worst"``: if any fired, the member with the largest estimate (lowest index among
  equals) is replaced in its place by a fresh one with a fresh detector; one a row. "fired": every
  member whose detector fired, in index order. This comes after all have learned the row.
* ``error="after"`` tests a member on a row after it has learned it, as MOA does.
* ``vote="majority"`` counts labels, "soft" adds probabilities; untrained members do neither.
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
        """How often a member learns a row; wrong and estimate are from before."""
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
