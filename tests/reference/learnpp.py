"""Learn++, Learn++.MT, .NC, .UD and .UDNC (spec 1-5, calibration S2-S4): one loop, five votes.

Decisions:

* m = sum of the row weights, n = number of rows. "Uniform" is w/m. The lower bound is
  min(floor, 1/2), "half_instance" is 1/(2m); errors of members are clipped to [floor, 1/2] for all
  five (so p = 1 - 2 eps uses the clipped error too). Errors are rounded to twelve decimals, so that
  neither "> 1/2" nor a tie depends on the order of a sum.
* Order for a data set: count the classes, rescale old weights (UD, UDNC), evaluate the ensemble
  with its own vote ("evaluate"; the first data set, or an ensemble without members, starts
  uniform), then n_per_chunk rounds, then the validation prefix.
* A round: attempt (draw, cover, seed, train, error under D), up to `max_retries` more while the
  error is > 1/2 and the outcome can differ (`resampling`, or `stochastic`); the first of the best
  is kept. If its error is > 1/2: n_weak is incremented and `on_weak` decides: "clip" gives weight
  0, "drop" adds no member and leaves D unchanged, "raise" raises ValueError.
* Draw: ``rng.choice(n, size, replace=replacement, p=D)``; size is `sample_size`, None = n rows, a
  float is ceil(sample_size * n); without replacement no more than the rows with D > 0. Cover: for
  each class of the data set, in sorted order, that is not among the drawn: spare = positions
  (ascending) whose class now has at least 2 drawn rows; if there are any, FIRST ``position =
  rng.choice(spare)``, THEN ``row = rng.choice(np.flatnonzero(y == missing))``. Then the seed. A
  drawn set trains with weights of one; resampling=False trains on all rows with D*m, no draw.
* Composite: the members of this data set ("sub") or all ("all"), by the vote of the variant. E is
  clipped to [0, 1/2], B = E/(1-E), D *= B where the composite is right, D /= sum(D). E == 0: D is
  uniform again, or `early_stop` ends the data set; the initial evaluation never ends it.
* Ties go to the first class. A row whose sums are all exactly 0 is predicted by the newest member.
* vote="hypothesis" (Learn++ only) is the 2001 form: the composites, each in its state when it was
  created, vote with log 1/B of E clipped to [floor, 1/2]; inside the composites, members vote with
  log 1/beta.
* n_tc is the sum of the training weights (so the number of drawn rows) of class c; N_kc, N_c are
  sums of row weights. N_c always counts all data sets so far, including the present one, also when
  only the sub-ensemble predicts (S4: "that all subensembles have seen").
* Validation: of this data set's members, keep the prefix, of at least one member, with which the
  ensemble has the best unweighted accuracy; on ties the shortest (ties="first") or the longest
  ("last"). N does not change. `validation_share` = s sets rows apart before anything else is done
  with the data set, which from then on is the rest: of each class, in sorted order, the first
  floor(s * its rows) of ``rng.permutation(its positions)``. A given validation set takes precedence
  over the share; if no row is set apart, all members are kept.
* oversample="smote" (UDNC) changes only the training rows of a member: the drawn rows, in the order
  drawn and without duplicates (of row and class), then their synthetic rows, drawn after the
  cover and before the seed. resampling=False: all rows, then synthetic ones with the mean weight of
  their class. n_tc, N and D are computed without synthetic rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tests.reference.common import ChunkReference
from tests.reference.smote import library_draw, smote, with_means


@dataclass(eq=False)
class Member:
    """A model, the number k of its data set, its error, its classes, and n_tc of each class."""

    model: object
    step: int
    eps: float
    classes: list
    dataset_classes: list
    counts: dict
    weights: dict = field(default_factory=dict)  # w_tc, of UD and UDNC

    @property
    def W(self):
        return math.log((1 - self.eps) / self.eps)

    @property
    def p(self):
        return 1 - 2 * self.eps


def dwv(labels, W, CTr, classes, conflicts=False):
    """Return the sums of one row's dynamic weight voting; with `conflicts`, of NC's DW-CAV.

    labels[t] is the prediction of member t, W[t] its weight, CTr[t] the classes it was trained on.
    """
    members = range(len(labels))
    knows = {c: {t for t in members if c in CTr[t]} for c in classes}
    P = {}
    for c in classes:
        Z = sum(W[t] for t in members if t in knows[c])
        P[c] = sum(W[t] for t in members if labels[t] == c) / Z if Z > 0 else 0.0
    if conflicts:
        sure = [c for c in classes if P[c] >= 1 - 1e-12]
        clash = [c for c in sure if any(k != c and not knows[c] & knows[k] for k in sure)]
        P.update(dict.fromkeys(clash, 0.0))
    adjusted = list(W)
    for t in members:
        for c in classes:
            if c not in CTr[t]:
                adjusted[t] *= 1 - P[c]
    sums = vote_sums(labels, adjusted, classes)
    return sums if max(sums) > 1e-12 else vote_sums(labels, W, classes)


def vote_sums(labels, W, classes):
    return [sum(w for label, w in zip(labels, W) if label == c) for c in classes]


def ensemble_decision(labels, weights, steps, N, classes, transfer="power"):
    """Return the sums of confidences by class for one row (S4 Fig. 2).

    weights[t][c] is w_tc, steps[t] the data set k of member t, N[k][c] the class counts of all
    data sets; only data sets that have members here contribute.
    """
    plain, adjusted = [], []
    for c in classes:
        total = sum(N[k].get(c, 0.0) for k in N)
        plain.append(0.0)
        adjusted.append(0.0)
        for k in sorted(set(steps)):
            in_k = [t for t in range(len(labels)) if steps[t] == k]
            Z = sum(weights[t].get(c, 0.0) for t in in_k)
            if Z == 0:
                continue
            P = sum(weights[t].get(c, 0.0) for t in in_k if labels[t] == c) / Z
            lam = N[k][c] / min(N[k].values())
            hat = P if transfer is None else math.exp(lam * math.log(P)) if P > 0 else 0.0
            plain[-1] += P * N[k][c] / total
            adjusted[-1] += hat * N[k][c] / total
    return adjusted if max(adjusted) > 0 else plain


class LearnPPReference(ChunkReference):
    def __init__(
        self,
        train,
        n_per_chunk=5,
        sample_size=None,
        replacement=True,
        resampling=True,
        error_floor="half_instance",
        max_retries=10,
        on_weak="clip",
        early_stop=False,
        composite="sub",
        initial="evaluate",
        validation_share=None,
        vote="member",
        ties="first",
        stochastic=False,
        random_state=0,
    ):
        super().__init__(train, random_state)
        self.n_per_chunk, self.sample_size = n_per_chunk, sample_size
        self.replacement, self.resampling = replacement, resampling
        self.error_floor, self.max_retries, self.on_weak = error_floor, max_retries, on_weak
        self.early_stop, self.composite, self.initial = early_stop, composite, initial
        self.validation_share, self.vote, self.stochastic = validation_share, vote, stochastic
        self.ties = ties
        self.members = []
        self.hypotheses = []  # for each member: (members of the composite, its clipped error)
        self.distributions = []  # D of every round of the latest data set
        self.N = {}
        self.n_weak = 0

    def partial_fit(self, X, y, w=None, validation=None):
        self.validation = validation
        return super().partial_fit(X, y, w)

    def learn(self, X, y, w):
        if self.validation_share is not None and self.validation is None:
            X, y, w = self._set_aside(X, y, w)
        m = float(np.sum(w))
        self.N[self.step] = {c: float(np.sum(w[y == c])) for c in sorted(set(y.tolist()))}
        self.rescale()
        floor = 1 / (2 * m) if self.error_floor == "half_instance" else self.error_floor
        floor = min(floor, 0.5)
        uniform = w / m
        D = uniform
        if self.members and self.initial == "evaluate":
            right = self.predict(X) == y
            D = updated(D, right, error(right, D), uniform)
        self.distributions, born = [], []
        for _ in range(self.n_per_chunk):
            self.distributions.append(D)
            member = self._generate(X, y, D, m, floor)
            if member is None:
                continue
            self.weigh(member)
            self.members.append(member)
            born.append(member)
            judged = list(born) if self.composite == "sub" else list(self.members)
            right = self._labels(self.decide(judged, X)) == y
            E = error(right, D)
            self.hypotheses.append((judged, min(max(E, floor), 0.5)))
            if E == 0 and self.early_stop:
                break
            D = updated(D, right, E, uniform)
        if self.validation is not None and born:
            self._keep_best_prefix(len(self.members) - len(born))

    def _set_aside(self, X, y, w):
        held = np.zeros(len(y), dtype=bool)
        for c in sorted(set(y.tolist())):
            rows = self.rng.permutation(np.flatnonzero(y == c))
            held[rows[: math.floor(self.validation_share * len(rows))]] = True
        if held.any():
            self.validation = X[held], y[held]
        return X[~held], y[~held], w[~held]

    def _generate(self, X, y, D, m, floor):
        best, lowest = None, math.inf
        for _ in range(1 + self.max_retries if self.resampling or self.stochastic else 1):
            if self.resampling:
                rows = self._draw(y, D)
                weight = np.ones(len(rows))
            else:
                rows = np.arange(len(y))
                weight = D * m
            given = self.filled(X[rows], y[rows], weight)
            model = self.train(*given, self.seed())
            eps = error(np.asarray(model.predict(X)) == y, D)
            if eps < lowest:
                best, lowest = (model, y[rows], weight), eps
            if eps <= 0.5:
                break
        if lowest > 0.5:
            self.n_weak += 1
            if self.on_weak == "raise":
                raise ValueError(f"no member with an error of at most 1/2, the best has {lowest}")
            if self.on_weak == "drop":
                return None
        model, trained, weight = best
        classes = sorted(set(trained.tolist()))
        counts = {c: float(np.sum(weight[trained == c])) for c in classes}
        eps = min(max(lowest, floor), 0.5)
        return Member(model, self.step, eps, classes, sorted(set(y.tolist())), counts)

    def _draw(self, y, D):
        n, size = len(y), self.sample_size
        size = n if size is None else math.ceil(size * n) if isinstance(size, float) else size
        if not self.replacement:
            size = min(size, int(np.sum(D > 0)))
        rows = self.rng.choice(n, size, replace=self.replacement, p=D)
        for missing in sorted(set(y.tolist())):
            drawn = y[rows].tolist()
            if missing in drawn:
                continue
            spare = [i for i, label in enumerate(drawn) if drawn.count(label) >= 2]
            if spare:
                position = self.rng.choice(spare)
                rows[position] = self.rng.choice(np.flatnonzero(y == missing))
        return rows

    def _keep_best_prefix(self, n_old):
        X, y = self.validation
        members, hypotheses = self.members, self.hypotheses
        best, most = None, -1
        for end in range(n_old + 1, len(members) + 1):
            self.members, self.hypotheses = members[:end], hypotheses[:end]
            right = int(np.sum(self.predict(np.asarray(X, dtype=float)) == np.asarray(y)))
            if right > most or (right == most and self.ties == "last"):
                best, most = end, right
        self.members, self.hypotheses = members[:best], hypotheses[:best]

    def _labels(self, scores):
        return np.array([self.classes[i] for i in np.argmax(scores, axis=1)])

    def decide(self, members, X):
        """Return the scores of these members only."""
        predicted = [np.asarray(member.model.predict(X)).tolist() for member in members]
        rows = [[labels[i] for labels in predicted] for i in range(len(X))]
        table = np.array([self._row(members, labels) for labels in rows], dtype=float)
        return table.reshape(len(X), len(self.classes))

    def _row(self, members, labels):
        if not members:
            return [0.0] * len(self.classes)
        sums = self.sums(members, labels)
        return sums if max(sums) > 0 else vote_sums(labels[-1:], [1.0], self.classes)

    def scores(self, X):
        if self.vote == "member":
            return self.decide(self.members, X)
        predicted = [
            self._labels(self.decide(members, X)).tolist() for members, _ in self.hypotheses
        ]
        table = np.zeros((len(X), len(self.classes)))
        for i in range(len(X)):
            labels = [labels[i] for labels in predicted]
            if labels:
                sums = vote_sums(labels, self.weights, self.classes)
                last = vote_sums(labels[-1:], [1.0], self.classes)
                table[i] = sums if max(sums) > 0 else last
        return table

    @property
    def weights(self):
        if self.vote == "hypothesis":
            return [math.log((1 - E) / E) for _, E in self.hypotheses]
        return [member.W for member in self.members]

    def filled(self, X, y, w):
        """Return a member's training rows, given its rows of the data set."""
        return X, y, w

    def rescale(self):
        """Adjust the weights of old members to a new data set."""

    def weigh(self, member):
        """Set the weights of a new member other than W."""

    def sums(self, members, labels):
        return vote_sums(labels, [member.W for member in members], self.classes)


class LearnPPMTReference(LearnPPReference):
    """CTr of a member are the classes of its own training set."""

    def sums(self, members, labels):
        CTr = [member.classes for member in members]
        return dwv(labels, [member.W for member in members], CTr, self.classes)


class LearnPPNCReference(LearnPPReference):
    """CTr of a member are the classes of its data set."""

    def sums(self, members, labels):
        CTr = [member.dataset_classes for member in members]
        W = [member.W for member in members]
        return dwv(labels, W, CTr, self.classes, conflicts=True)


class LearnPPUDReference(LearnPPReference):
    """w_tc = p_t n_tc / N_c, rescaled at every data set."""

    def total(self, c, steps):
        return sum(self.N[k].get(c, 0.0) for k in steps)

    def rescale(self):
        for member in self.members:
            for c in member.weights:
                old = self.total(c, [k for k in self.N if k < self.step])
                member.weights[c] *= old / self.total(c, self.N)

    def weigh(self, member):
        for c, n in member.counts.items():
            member.weights[c] = member.p * n / self.total(c, self.N)

    @property
    def weights(self):
        table = [[member.weights.get(c, 0.0) for c in self.classes] for member in self.members]
        return np.array(table).reshape(len(self.members), len(self.classes))

    def sums(self, members, labels):
        own = [member.weights.get(label, 0.0) for member, label in zip(members, labels)]
        return vote_sums(labels, own, self.classes)


class LearnPPUDNCReference(LearnPPUDReference):
    def __init__(self, train, transfer="power", oversample=None, **options):
        super().__init__(train, **options)
        self.transfer, self.oversample = transfer, oversample

    def filled(self, X, y, w):
        if self.oversample is None:
            return X, y, w
        if self.resampling:
            seen = [(*x, label) for x, label in zip(X.tolist(), y.tolist())]
            first = [i for i, row in enumerate(seen) if row not in seen[:i]]
            X, y, w = X[first], y[first], w[first]
        more, labels = smote(X, y, self.rng, draw=library_draw)
        return more, labels, with_means(y, w, labels)

    def sums(self, members, labels):
        weights = [member.weights for member in members]
        steps = [member.step for member in members]
        return ensemble_decision(labels, weights, steps, self.N, self.classes, self.transfer)


def error(right, D):
    return round(float(sum(D[i] for i in range(len(D)) if not right[i])), 12)


def updated(D, right, E, uniform):
    """Return D for the next round: multiplied by B on the rows that are right, then normalized."""
    E = min(E, 0.5)
    if E == 0:
        return uniform
    D = np.array([D[i] * (E / (1 - E) if right[i] else 1.0) for i in range(len(D))])
    return D / np.sum(D)
