"""SEA (spec 9; Street & Kim 2001, and S1's description of it).

Decisions:

* Members stay in order of creation: a replaced member is deleted, the new one appended. In
  "original" with delay the step of creation is the step at which the tree was trained.
* "original": each chunk trains a tree; with `delay` the candidate is the tree of the chunk
  before, else this one. The quality of members and candidate is measured on this chunk against the
  votes of the members before the candidate is admitted; while the ensemble is not full, the
  candidate is admitted without a test.
* Until there is a member, the newest tree predicts alone (step 1 with delay).
* "street": vote fractions over all classes known (including those of this chunk), P2 = 0 if only
  one class is known; the mean is weighted by the row weights. "accuracy": weighted accuracy of the
  tree. Qualities are compared to twelve decimals, so that no tie depends on the order of a sum.
* "dtel": the swap must raise the weighted accuracy of the ensemble strictly above the present one.
* All weights are 1. Scores are vote fractions, with ``vote="soft"`` means of probabilities;
  everything else uses labels.
"""

from __future__ import annotations

import numpy as np

from tests.reference.common import ChunkReference, limit, share, votes


def street_quality(label, truth, fractions, classes):
    """Return the quality that one row adds to a tree that predicts `label`."""
    ranked = [*sorted(fractions, reverse=True), 0.0]
    p1, p2 = ranked[0], ranked[1]
    p_true, p_tree = fractions[classes.index(truth)], fractions[classes.index(label)]
    ensemble_label = classes[list(fractions).index(p1)]
    if label != truth:
        return -(1 - abs(p_true - p_tree))
    if ensemble_label == truth:
        return 1 - abs(p1 - p2)
    return 1 - abs(p1 - p_true)


class SEAReference(ChunkReference):
    def __init__(
        self,
        train,
        n_estimators=25,
        variant="original",
        quality="street",
        delay=True,
        vote="hard",
        random_state=0,
    ):
        super().__init__(train, random_state)
        self.n_estimators, self.variant = limit(n_estimators), variant
        self.quality, self.delay, self.vote = quality, delay, vote
        self.members, self.births = [], []
        self.newest = None

    @property
    def weights(self):
        return [1.0] * len(self.members)

    def learn(self, X, y, w):
        previous, self.newest = self.newest, self.train(X, y, w, self.seed())
        if self.variant == "dtel":
            self._admit(self.newest, self.step, self._worst_by_swap(self.newest, X, y, w))
        elif not self.delay:
            self._admit(self.newest, self.step, self._worst_by_quality(self.newest, X, y, w))
        elif previous is not None:
            self._admit(previous, self.step - 1, self._worst_by_quality(previous, X, y, w))

    def _admit(self, model, birth, out):
        """Append the model, replacing member `out` if the ensemble is full."""
        if len(self.members) >= self.n_estimators:
            if out is None:
                return
            del self.members[out], self.births[out]
        self.members.append(model)
        self.births.append(birth)

    def _worst_by_quality(self, candidate, X, y, w):
        if len(self.members) < self.n_estimators:
            return None
        fractions = self._fractions(self.members, X)
        qualities = [self._quality(h, X, y, w, fractions) for h in self.members]
        worst = qualities.index(min(qualities))
        better = self._quality(candidate, X, y, w, fractions) > qualities[worst]
        return worst if better else None

    def _quality(self, model, X, y, w, fractions):
        labels, truth = np.asarray(model.predict(X)), y.tolist()
        if self.quality == "accuracy":
            return share(w, labels == y)
        labels, total = labels.tolist(), 0.0
        for i in range(len(truth)):
            total += w[i] * street_quality(labels[i], truth[i], fractions[i], self.classes)
        return round(total / np.sum(w), 12)

    def _worst_by_swap(self, candidate, X, y, w):
        if len(self.members) < self.n_estimators:
            return None
        best, out = self._accuracy(self.members, X, y, w), None
        for j in range(len(self.members)):
            others = self.members[:j] + self.members[j + 1 :]
            accuracy = self._accuracy([*others, candidate], X, y, w)
            if accuracy > best:
                best, out = accuracy, j
        return out

    def _accuracy(self, members, X, y, w):
        predicted = np.argmax(self._fractions(members, X), axis=1)
        return share(w, [self.classes[s] == label for s, label in zip(predicted, y.tolist())])

    def _fractions(self, members, X):
        counts = sum(votes(h, X, self.classes) for h in members)
        return counts / len(members)

    def scores(self, X):
        members = self.members or [self.newest]
        if self.vote == "soft":
            return sum(np.asarray(h.proba(X, self.classes)) for h in members) / len(members)
        return self._fractions(members, X)
