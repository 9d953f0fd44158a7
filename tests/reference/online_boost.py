"""OnlineBoost and its two descendants for drift, NSOnlineBoost and FLC (spec 16, 17, 19).

Randomness: at the first row M seeds are drawn, in index order. For every row, M uniform numbers are
drawn at once; member j uses the j-th. Seeds of members created in a row are drawn after its uniform
numbers.

Decisions, OnlineBoost:

* lam = 1 at the start of the chain, whatever the row's weight w; a member learns once with weight
  k w, k the Poisson(lam) number; lam_sc and lam_sw grow by lam w (added before e is computed). lam
  is capped at 100 after every change.
* The member predicts the row after its training. An untrained member is skipped: its sums and lam
  do not change.
* Vote weight ln((1-e)/e), e = max(lam_sw/N, 1/(2N)), N = lam_sc + lam_sw; 0 if N = 0 or e >= 1/2
  (so until N > 1). If all weights are 0 all scores are.
* ``vote="soft"``: a member adds its class probabilities times its vote weight, "majority" its vote
  weight to its label. The ensemble's predictions, also those for the detector, use this vote; a
  member's own error is always that of its label.
* `restart_delta`: before a row is learned, ADWIN is updated with the unweighted 0/1 error of the
  prediction made before the row, unless all members are untrained (the first row; after a restart
  while all draws are 0). A class that was unknown at the prediction is an error like any other.
* A restart: ADWIN cuts its window, and the mean of the rest is greater than that of the whole
  window just before the cut, both including this row's error (equivalently: greater than the mean
  of the part that was cut off). If it is equal or lower, ADWIN continues with the window it cut.
* The row's uniform numbers are drawn before the change is tested, the seeds of all new members
  after it, in index order; the new chain learns the row with these uniform numbers. The new ADWIN
  starts empty, with its clock at 0; it does not receive the error that caused the restart. Classes
  and the count of rows are kept.
* NSOnlineBoost and FLC have no `restart_delta`. Ids and rows of creation are not stored here.

NSOnlineBoost:

* The window contains the row. A member is mature after `maturity` rows with a draw > 0. Mature
  members vote; all do if none is mature.
* Every `period` rows, if 2 or more are mature: compute the weighted window error of the vote of the
  mature members and of that vote without each of them. If the lowest of the latter (ties: the
  oldest) is strictly lower, that member is removed and a new one joins the end of the chain. On the
  window the vote counts labels, whatever `vote` is.

FLC:

* The detector is updated with the error of the prediction made before the row; the very first row
  is not tested. A change in either direction counts.
* At a change every member learns with weight lam_j w (no draw; the row's uniform numbers are
  unused), lam_j = (1-e)/e, e = lam_sw/N clipped to [.01, .5] (.5 if N = 0); its sums grow by
  lam_j w.
* `replace_worst_on_change`: after that, the member with the largest lam_sw/N (ties: the oldest) is
  removed and a new member joins the end of the chain.
* detector "sd": the last `window_size` errors; over all splits into parts of at least `min_sub` the
  largest |mean0 - mean1| / (sd sqrt(1/n0 + 1/n1)) (ties: the earliest split) is a change if > k_sd,
  and the part before that split is dropped. sd = sqrt(p (1-p)) of the window; 0: no change.
* `restart_on_change`: the newer part is what the detector keeps, the older part what it drops;
  ADWIN may drop several buckets, which all belong to the older part. The row's error is in the
  newer part. If the means are equal, there is no restart but the update for a change described
  above. A restart also counts in `n_changes`, does not replace the worst member, and uses uniform
  numbers and seeds like OnlineBoost's.
* The detector is also updated while the members of a restart are untrained (the prediction is then
  the first class); only the very first row is not tested.
"""

from __future__ import annotations

import math

from tests.reference.adwin import AdwinReference
from tests.reference.online_bases import OnlineReference, first_max, first_min, poisson


class Member:
    def __init__(self, model):
        self.model, self.sc, self.sw, self.n_trained = model, 0.0, 0.0, 0

    def error(self):
        return self.sw / (self.sc + self.sw) if self.sc + self.sw > 0 else None

    def count(self, is_right, weight):
        if is_right:
            self.sc += weight
        else:
            self.sw += weight

    def vote_weight(self):
        N = self.sc + self.sw
        if N == 0:
            return 0.0
        e = max(self.sw / N, 1 / (2 * N))
        return math.log((1 - e) / e) if e < 0.5 else 0.0


class RisingAdwin(AdwinReference):
    """ADWIN that reports whether the last update cut the window and left a higher mean."""

    def update(self, error):
        whole = (self.total + error) / (self.width + 1)
        changed = super().update(error)
        self.rose = changed and self.estimate > whole
        return changed


class OnlineBoostReference(OnlineReference):
    def __init__(self, make, n_estimators=50, restart_delta=None, vote="majority", random_state=0):
        super().__init__(random_state)
        self.vote = vote
        self.make, self.n_estimators, self.members = make, n_estimators, []
        self.restart_delta = restart_delta
        self.adwin = None if restart_delta is None else RisingAdwin(restart_delta)
        self.n_restarts = 0

    def fresh(self):
        return Member(self.make(self.seed()))

    def learn(self, x, y, w, guess):
        if not self.members:
            self.members = [self.fresh() for _ in range(self.n_estimators)]
        self.step(x, y, w, guess, self.rng.random(len(self.members)))

    def step(self, x, y, w, guess, u):
        if self.adwin is not None and self.is_trained(x):
            self.adwin.update(guess != y)
            if self.adwin.rose:
                self.restart()
                self.adwin = RisingAdwin(self.restart_delta)
        self.boost(x, y, w, u)

    def is_trained(self, x):
        return any(member.model.predict_one(x) is not None for member in self.members)

    def restart(self):
        self.members = [self.fresh() for _ in self.members]
        self.n_restarts += 1

    def boost(self, x, y, w, u):
        lam = 1.0
        for j, member in enumerate(self.members):
            k = poisson(u[j], lam)
            if k > 0:
                member.model.learn_one(x, y, k * w)
                member.n_trained += 1
            prediction = member.model.predict_one(x)
            if prediction is None:
                continue
            member.count(prediction == y, lam * w)
            e = member.error()
            lam *= 1 / (2 * (1 - e)) if prediction == y else 1 / (2 * e)
            lam = min(lam, 100.0)

    def voters(self):
        return self.members

    def labels_vote(self, x, members):
        votes = [0.0] * len(self.classes)
        for member in members:
            prediction = member.model.predict_one(x)
            if prediction is not None:
                votes[self.classes.index(prediction)] += member.vote_weight()
        return votes

    def score_one(self, x):
        if self.vote == "majority":
            return self.labels_vote(x, self.voters())
        votes = [0.0] * len(self.classes)
        for member in self.voters():
            for j, p in enumerate(member.model.proba_one(x, self.classes)):
                votes[j] += p * member.vote_weight()
        return votes


class NSOnlineBoostReference(OnlineBoostReference):
    def __init__(
        self,
        make,
        n_estimators=50,
        window_size=200,
        period=10,
        maturity=100,
        vote="majority",
        random_state=0,
    ):
        super().__init__(make, n_estimators, vote=vote, random_state=random_state)
        self.window_size, self.period, self.maturity = window_size, period, maturity
        self.window = []

    def step(self, x, y, w, guess, u):
        self.boost(x, y, w, u)
        self.window = [*self.window, (x, y, w)][-self.window_size :]
        if self.n_rows % self.period == 0:
            self.renew()

    def mature(self):
        return [member for member in self.members if member.n_trained >= self.maturity]

    def voters(self):
        return self.mature() or self.members

    def window_error(self, members):
        wrong = 0.0
        for x, y, w in self.window:
            wrong += w if self.classes[first_max(self.labels_vote(x, members))] != y else 0.0
        return wrong

    def renew(self):
        mature = self.mature()
        if len(mature) < 2:
            return
        without = [self.window_error([m for m in mature if m is not out]) for out in mature]
        if min(without) < self.window_error(mature):
            self.members.remove(mature[first_min(without)])
            self.members.append(self.fresh())


class DeviationDetector:
    def __init__(self, window_size=200, k_sd=3.3, min_sub=30):
        self.window_size, self.k_sd, self.min_sub = window_size, k_sd, min_sub
        self.errors, self.rose = [], False

    def update(self, error):
        """Add one error; return whether the window was cut, `rose` if the newer mean is higher."""
        self.errors = [*self.errors, float(error)][-self.window_size :]
        n = len(self.errors)
        p = sum(self.errors) / n
        sd = math.sqrt(p * (1 - p))
        most, cut = self.k_sd, None
        for n0 in range(self.min_sub, n - self.min_sub + 1):
            d = sum(self.errors[:n0]) / n0 - sum(self.errors[n0:]) / (n - n0)
            if sd > 0 and abs(d) / (sd * math.sqrt(1 / n0 + 1 / (n - n0))) > most:
                most, cut = abs(d) / (sd * math.sqrt(1 / n0 + 1 / (n - n0))), n0
        self.rose = False
        if cut is None:
            return False
        self.rose = sum(self.errors[cut:]) / (n - cut) > sum(self.errors[:cut]) / cut
        self.errors = self.errors[cut:]
        return True


class FLCReference(OnlineBoostReference):
    def __init__(
        self,
        make,
        n_estimators=50,
        detector="adwin",
        delta=0.002,
        window_size=200,
        k_sd=3.3,
        min_sub=30,
        replace_worst_on_change=False,
        restart_on_change=False,
        vote="majority",
        random_state=0,
    ):
        super().__init__(make, n_estimators, vote=vote, random_state=random_state)
        self.replace_worst_on_change = replace_worst_on_change
        self.restart_on_change = restart_on_change
        if detector == "adwin":
            self.new_detector = lambda: RisingAdwin(delta)
        else:
            self.new_detector = lambda: DeviationDetector(window_size, k_sd, min_sub)
        self.detector = self.new_detector()
        self.n_changes = 0

    def step(self, x, y, w, guess, u):
        if guess is None or not self.detector.update(guess != y):
            self.boost(x, y, w, u)
            return
        self.n_changes += 1
        if self.restart_on_change and self.detector.rose:
            self.restart()
            self.detector = self.new_detector()
            self.boost(x, y, w, u)
            return
        for member in self.members:
            e = member.error()
            e = 0.5 if e is None else min(max(e, 0.01), 0.5)
            lam = (1 - e) / e
            member.model.learn_one(x, y, lam * w)
            member.n_trained += 1
            member.count(member.model.predict_one(x) == y, lam * w)
        if self.replace_worst_on_change:
            del self.members[first_max([member.error() for member in self.members])]
            self.members.append(self.fresh())
