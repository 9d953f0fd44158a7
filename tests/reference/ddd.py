"""DDD (Minku and Yao 2012): four online-bagging ensembles, of low and high diversity, new and old.

Randomness: at the first row the M seeds of the new low-diversity ensemble (nl) are drawn, then
those of the new high-diversity ensemble (nh). For every row 4 M uniform numbers are drawn at once,
by slot (nl, nh, ol, oh), also for empty slots. Seeds of new ensembles are drawn after them, nl
before nh.

Decisions:

* An ensemble is correct if the first class with the most votes of its models is the row's. An
  ensemble of untrained models is not tested. acc and std are 0 before the first test.
* The detector is updated with the 0/1 errors of nl before the row is learned; with ADWIN, only a
  rise of the error rate is a drift. At a drift the detector is replaced by a new one, which
  continues when the mode is "before" again.
* A drift in mode "after" keeps the better of nl and oh as the old ensemble (oh on ties).
* In the row of a drift all accuracies are 0, so no ensemble is better than another.
* If oh replaces nl, it keeps its counts. Each slot learns with the uniform numbers of the position
  that it has after all moves; old ensembles learn with low diversity.
* Votes after a drift: ``vote="soft"`` adds the probabilities of all models times the weight of
  their ensemble, "majority" adds the weight of each ensemble to its label. Before a drift only the
  models of nl vote.
* If all accuracies are 0, the weights are computed as if all accuracies were equal.
"""

from __future__ import annotations

import math

from tests.reference.adwin import AdwinReference
from tests.reference.detectors import DDMReference, EDDMReference
from tests.reference.forest import rises
from tests.reference.online_bases import OnlineReference, first_max, poisson

SLOTS = "nl", "nh", "ol", "oh"
VOTERS = "nl", "ol", "oh"
DETECTORS = {"adwin": AdwinReference, "ddm": DDMReference, "eddm": EDDMReference}


class Ensemble:
    def __init__(self, models, born):
        self.models, self.born = models, born
        self.right = self.seen = 0

    @property
    def acc(self):
        return self.right / self.seen if self.seen else 0.0

    @property
    def std(self):
        return math.sqrt(self.acc * (1 - self.acc) / self.seen) if self.seen else 0.0


class DDDReference(OnlineReference):
    def __init__(
        self,
        make,
        n_estimators=10,
        low=1.0,
        high=0.1,
        multiplier=1.0,
        detector="eddm",
        vote="soft",
        random_state=0,
    ):
        super().__init__(random_state)
        self.make, self.n_estimators, self.vote = make, n_estimators, vote
        self.low, self.high, self.multiplier = low, high, multiplier
        self.detector_name, self.detector = detector, DETECTORS[detector]()
        self.at = {}
        self.mode = "before"
        self.n_drifts = self.n_recoveries = self.n_takeovers = self.n_old_high = 0

    def new_ensemble(self):
        return Ensemble([self.make(self.seed()) for _ in range(self.n_estimators)], self.n_rows)

    def learn(self, x, y, w, guess):
        if not self.at:
            self.at["nl"] = self.new_ensemble()
            self.at["nh"] = self.new_ensemble()
        u = self.rng.random(4 * self.n_estimators)
        predicted = {slot: self.prediction(self.at[slot], x) for slot in VOTERS if slot in self.at}
        for slot, prediction in predicted.items():
            if prediction is not None:
                self.at[slot].seen += 1
                self.at[slot].right += prediction == y
        if predicted["nl"] is not None and self.drifts(predicted["nl"] != y):
            self.change()
        if self.mode == "after":
            self.compare()
        for s, slot in enumerate(SLOTS):
            if slot in self.at:
                rate = self.high if slot == "nh" else self.low
                for j, model in enumerate(self.at[slot].models):
                    k = poisson(u[s * self.n_estimators + j], rate)
                    if k > 0:
                        model.learn_one(x, y, k * w)

    def drifts(self, error):
        if self.detector_name == "adwin":
            return rises(self.detector, error)
        return self.detector.update(error)

    def change(self):
        at = self.at
        keep_nl = self.mode == "before" or at["nl"].acc > at["oh"].acc
        at["ol"] = at["nl"] if keep_nl else at["oh"]
        self.n_old_high += not keep_nl
        at["oh"] = at["nh"]
        at["nl"] = self.new_ensemble()
        at["nh"] = self.new_ensemble()
        for ensemble in at.values():
            ensemble.right = ensemble.seen = 0
        self.detector = DETECTORS[self.detector_name]()
        self.mode = "after"
        self.n_drifts += 1

    def compare(self):
        nl, ol, oh = (self.at[slot] for slot in VOTERS)
        sure = oh.acc - oh.std
        if nl.acc > oh.acc and nl.acc > ol.acc:
            self.n_recoveries += 1
        elif sure > nl.acc + nl.std and sure > ol.acc + ol.std:
            self.at["nl"] = oh
            self.n_takeovers += 1
        else:
            return
        self.mode = "before"
        del self.at["ol"], self.at["oh"]

    def ballot(self, ensemble, x):
        votes = [0.0] * len(self.classes)
        for model in ensemble.models:
            if self.vote == "soft":
                given = model.proba_one(x, self.classes)
            else:
                prediction = model.predict_one(x)
                given = [float(c == prediction) for c in self.classes]
            votes = [vote + more for vote, more in zip(votes, given)]
        return votes

    def prediction(self, ensemble, x):
        votes = self.ballot(ensemble, x)
        return self.classes[first_max(votes)] if max(votes) > 0 else None

    def weights(self):
        """Return the weight of every slot."""
        if self.mode == "before":
            return {"nl": 1.0, "nh": 0.0}
        nl, ol, oh = (self.at[slot].acc for slot in VOTERS)
        shares = nl, ol * self.multiplier, oh
        if nl + ol * self.multiplier + oh == 0:
            shares = 1.0, self.multiplier, 1.0
            total = 2.0 + self.multiplier
        else:
            total = nl + ol * self.multiplier + oh
        return {"nh": 0.0, **{slot: share / total for slot, share in zip(VOTERS, shares)}}

    def score_one(self, x):
        if not self.at:
            return [0.0] * len(self.classes)
        if self.mode == "before":
            return self.ballot(self.at["nl"], x)
        scores, weights = [0.0] * len(self.classes), self.weights()
        for slot in VOTERS:
            if self.vote == "soft":
                for model in self.at[slot].models:
                    for c, p in enumerate(model.proba_one(x, self.classes)):
                        scores[c] += weights[slot] * p
            else:
                prediction = self.prediction(self.at[slot], x)
                if prediction is not None:
                    scores[self.classes.index(prediction)] += weights[slot]
        return scores

    def members(self):
        """Return (weight, error, step of creation) of every model, as the learner's table does."""
        table = []
        for slot in SLOTS:
            if slot in self.at:
                ensemble = self.at[slot]
                tested = slot != "nh" and ensemble.seen > 0
                error = 1.0 - ensemble.acc if tested else math.nan
                table += [(self.weights()[slot], error, ensemble.born)] * self.n_estimators
        return table
