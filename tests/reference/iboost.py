"""IBoost (spec 15, calibration S3 sections 0, 5B and 8; S3 Algorithm 2), a row at a time.

`IBoostReference` is the pairwise form for any number of classes, `BinaryIBoostReference` the
method of the paper for two; with two classes they are the same up to rounding. They share the
training loop; each has its own computation of margins, weights and steps.

One row (x, y), number k: predict it; append it to the window, drop the oldest beyond `window_size`;
then

* a member is needed if there is none, or if k is a multiple of `period` and (``add="always"``, or
  "on_error" and the prediction is wrong) - but not if the newest member was trained on a single
  class and the window contains only rows of this class;
* if a member is needed: if the ensemble is full, remove the smallest alpha (ties: the oldest);
  update unless ``update_when="never"``; train; admit if alpha > 0. Removal precedes the decision
  whether the candidate is admitted. If no member is needed: update if ``update_when="always"``;
* `remove_negative`: up to 5 times, while some alpha < 0: remove all of those, update once more (a
  set of `n_updates`). If all are negative, only the largest (ties: the oldest) is kept, with alpha
  LEAST, and the loop ends. After 5 rounds negative alphas may remain.

Decisions:

* "alpha > 0" is tested as alpha > 1e-9: a candidate equal to the previous member has alpha = 0 up
  to rounding.
* A candidate for an empty ensemble is admitted whatever its error, with alpha at least LEAST =
  1e-6.
* n in the lower bound 1/(2n) is max(2, rows in the window): the first member has alpha =
  1/2 ln 3.
* Row weights multiply the row's loss: window weights and the rate of the stochastic step.
* Margins z_ic = V_y - V_c of all classes c != y known now; while only one class is known, one
  unnamed other class without votes is assumed. V is summed in member order.
* Training weights are passed to the base learner unchanged: exponential exp(-(z - min z)), logistic
  1/(1 + exp(z)), after z is clipped to +-weight_clip (also for the new member's alpha). If all
  weights underflow to 0, the base learner receives the row weights.
* The lower bound by clipping, for any number of classes: alpha = 1/2 ln(R/U) with R = W+ and U = W-
  clipped to [T/(2n), T - T/(2n)]. With two classes this is the clip of e; section 5B adds T/(2n) to
  both instead, which would differ from section 0 there. Both are shorter than the exact minimizer
  of the coordinate, so the batch update is monotone. T = 0 (logistic underflow): no step.
* Stochastic step: q_c = w_c / sum w, direction +1 for members that are right and -q_k for those
  that vote for k, a_c = (n_right + q_c n_c) / m; alpha += direction * s / m, z_c += s a_c.
  Logistic: s = c sum w. Exponential, implicit: s = c sum_c exp(-(z_c + s a_c)), in logs
  ln s = ln c + logsumexp(-(z_c + s a_c)). Because a_c <= 1 the Lambert step of the two-class case,
  lambert(ln c + logsumexp(-z)), lies below the root; it is the root if all a_c = 1 (always, for two
  classes), else 20 Newton steps from there, which stay below since the function is concave.
* lambert(a), s + ln s = a: exp(a) below -36, else 5 Newton steps from exp(a) (a - ln a above 1).
* ``rule="printed"`` is Eq. 13/14 with eta = step: the sum over the window (13), or the newest row
  (14), margins recomputed from the alphas for each of the updates and clipped to +-margin_clip. No
  division by m or n. Default eta 3e-4 (stochastic), 5e-5 (batch: a mean of .01 at n = 200).
* The default rate: .03 stochastic exponential, .1 stochastic logistic, .3 and .2 batch.
* `resample`: the rows are drawn by the training weights (after the clip, `common.drawn`) before the
  seed, and trained on with weights of one; alpha is that on the weighted window. A member counts as
  trained on a single class if the rows drawn for it are of one class.
* Scores are V_c; (-F, F) in the binary form.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.cart import add_up
from tests.reference.common import drawn, limit
from tests.reference.nse import sigmoid
from tests.reference.online_bases import OnlineReference, first_max, first_min, label_of

LEAST = 1e-6
RATES = {
    ("implicit", "stochastic", "exponential"): 0.03,
    ("implicit", "stochastic", "logistic"): 0.1,
    ("implicit", "batch", "exponential"): 0.3,
    ("implicit", "batch", "logistic"): 0.2,
    ("printed", "stochastic", "exponential"): 3e-4,
    ("printed", "stochastic", "logistic"): 3e-4,
    ("printed", "batch", "exponential"): 5e-5,
    ("printed", "batch", "logistic"): 5e-5,
}


def lambert(a):
    """Return the s with s + ln s = a."""
    if a < -36:
        return math.exp(a)
    s = a - math.log(a) if a > 1 else math.exp(a)
    for _ in range(5):
        s = s * (1 + a - math.log(s)) / (1 + s)
    return s


def log_sum_exp(values):
    top = max(values)
    return top + math.log(add_up(math.exp(v - top) for v in values))


def implicit_step(rate, z, a):
    """Return the s with s = rate * sum_c exp(-(z_c + s a_c))."""
    s = lambert(math.log(rate) + log_sum_exp([-v for v in z]))
    if all(v == 1 for v in a):
        return s
    for _ in range(20):
        logs = [-(z_c + s * a_c) for z_c, a_c in zip(z, a)]
        total = log_sum_exp(logs)
        slope = 1 / s + add_up(a_c * math.exp(v - total) for a_c, v in zip(a, logs))
        s -= (math.log(s) - math.log(rate) - total) / slope
    return s


def clipped(z, clip):
    return z if clip is None else min(max(z, -clip), clip)


def single_class(labels):
    """Return the class of all these rows, None if they are of several."""
    found = set(labels)
    return found.pop() if len(found) == 1 else None


class Row:
    """A row of the window and the predictions of all members for it, in member order."""

    def __init__(self, x, y, w, votes):
        self.x, self.y, self.w, self.votes = x, y, w, votes


class IBoostReference(OnlineReference):
    def __init__(
        self,
        train,
        n_estimators=200,
        window_size=200,
        period=1,
        n_updates=5,
        update="stochastic",
        loss="exponential",
        step=None,
        rule="implicit",
        margin_clip=5.0,
        weight_clip=None,
        add="on_error",
        update_when="always",
        remove_negative=True,
        resample=False,
        random_state=0,
    ):
        super().__init__(random_state)
        self.train, self.n_estimators, self.window_size = train, n_estimators, window_size
        self.period, self.n_updates, self.mode, self.loss = period, n_updates, update, loss
        self.step = RATES[rule, update, loss] if step is None else step
        self.rule, self.margin_clip, self.weight_clip = rule, margin_clip, weight_clip
        self.add, self.update_when, self.remove_negative = add, update_when, remove_negative
        self.resample = resample
        self.window, self.members, self.alphas = [], [], []
        self.only_class = []  # for each member: its only class, or None

    # training loop

    def learn(self, x, y, w, guess):
        self.slide(x, y, w)
        if self._wanted(guess != y):
            if len(self.members) == limit(self.n_estimators):
                self._remove([first_min(self.alphas)])
            if self.update_when != "never":
                self.update()
            self._grow()
        elif self.update_when == "always":
            self.update()
        if self.remove_negative:
            self._remove_negatives()

    def slide(self, x, y, w):
        votes = [label_of(f, x) for f in self.members]
        self.window = [*self.window, Row(x, y, w, votes)][-self.window_size :]

    def _wanted(self, wrong):
        if not self.members:
            return True
        single = single_class(row.y for row in self.window)
        if single is not None and single == self.only_class[-1]:
            return False
        due = self.n_rows % self.period == 0
        return due and (self.add == "always" or (self.add == "on_error" and wrong))

    def _grow(self):
        X, y = np.array([row.x for row in self.window]), np.array([row.y for row in self.window])
        table = self.training_weights()
        D = [add_up(weights) for weights in table]
        if not any(D):
            D = [row.w for row in self.window]
        if self.resample:
            rows = drawn(D, self.rng)
            X, y, D = X[rows], y[rows], np.ones(len(rows))
        model = self.train(X, y, np.array(D), self.seed())
        prediction = [label_of(model, row.x) for row in self.window]
        alpha = self.newcomer_alpha(prediction, table)
        if not self.members:
            alpha = max(alpha, LEAST)
        if alpha > 1e-9:
            self.admit(model, alpha, prediction)
            self.only_class.append(single_class(y.tolist()))

    def admit(self, model, alpha, prediction):
        self.members.append(model)
        self.alphas.append(alpha)
        for row, vote in zip(self.window, prediction):
            row.votes.append(vote)

    def training_weights(self):
        return self.weights(self.weight_clip)

    def newcomer_alpha(self, prediction, table):
        return self.confidence(prediction, table)

    def _remove(self, out):
        stays = [j for j in range(len(self.members)) if j not in out]
        self.members = [self.members[j] for j in stays]
        self.alphas = [self.alphas[j] for j in stays]
        self.only_class = [self.only_class[j] for j in stays]
        for row in self.window:
            row.votes = [row.votes[j] for j in stays]

    def _remove_negatives(self):
        for _ in range(5):
            negative = [j for j, alpha in enumerate(self.alphas) if alpha < 0]
            if not negative:
                return
            if len(negative) == len(self.alphas):
                negative.remove(first_max(self.alphas))
                self._remove(negative)
                self.alphas = [LEAST]
                return
            self._remove(negative)
            self.update()

    def update(self):
        """Make one set of updates of all alphas."""
        if self.members:
            getattr(self, f"_{self.rule}_{self.mode}")()

    # margins, weights and steps for any number of classes

    def _others(self, y):
        return [c for c in self.classes if c != y] or [None]

    def margins(self, row):
        """Return V_y - V_c for every other class."""
        V = dict.fromkeys([*self.classes, None], 0.0)
        for alpha, vote in zip(self.alphas, row.votes):
            V[vote] += alpha
        return [V[row.y] - V[c] for c in self._others(row.y)]

    def weights(self, clip=None):
        """Return w_ic of every row and other class; exponential weights up to a common factor."""
        table = [[clipped(z, clip) for z in self.margins(row)] for row in self.window]
        if self.loss == "logistic":
            return [[row.w * sigmoid(-z) for z in zs] for row, zs in zip(self.window, table)]
        low = min(min(zs) for zs in table)
        return [[row.w * math.exp(low - z) for z in zs] for row, zs in zip(self.window, table)]

    def confidence(self, prediction, table):
        """Return 1/2 ln(W+ / W-) of a member with these predictions for the window."""
        right = wrong = total = 0.0
        for row, vote, weights in zip(self.window, prediction, table):
            weight = add_up(weights)
            total += weight
            if vote == row.y:
                right += weight
            else:
                wrong += weights[self._others(row.y).index(vote)]
        if total == 0:
            return 0.0
        floor = total / (2 * max(2, len(self.window)))
        right = min(max(right, floor), total - floor)
        wrong = min(max(wrong, floor), total - floor)
        return 0.5 * math.log(right / wrong)

    def _implicit_batch(self):
        m = len(self.members)
        for _ in range(self.n_updates):
            table = self.weights()
            prediction = [[row.votes[j] for row in self.window] for j in range(m)]
            steps = [self.confidence(column, table) for column in prediction]
            self.alphas = [alpha + self.step / m * step for alpha, step in zip(self.alphas, steps)]

    def _implicit_stochastic(self):
        row, m = self.window[-1], len(self.members)
        others, z = self._others(row.y), self.margins(row)
        rate = self.step * row.w
        for _ in range(self.n_updates):
            if self.loss == "logistic":
                weights = [sigmoid(-v) for v in z]
            else:
                weights = [math.exp(min(z) - v) for v in z]
            total = add_up(weights)
            if total == 0:
                return
            q = [weight / total for weight in weights]
            n_right = row.votes.count(row.y)
            a = [(n_right + q_c * row.votes.count(c)) / m for q_c, c in zip(q, others)]
            s = rate * total if self.loss == "logistic" else implicit_step(rate, z, a)
            for j, vote in enumerate(row.votes):
                if vote == row.y:
                    self.alphas[j] += s / m
                else:
                    self.alphas[j] -= s * q[others.index(vote)] / m
            z = [z_c + s * a_c for z_c, a_c in zip(z, a)]

    def _printed_weights(self, row):
        zs = [clipped(z, self.margin_clip) for z in self.margins(row)]
        weight = sigmoid if self.loss == "logistic" else math.exp
        return [row.w * weight(-z) for z in zs]

    def _gradient(self, rows):
        """Return -dE/d alpha_j over these rows, for every member."""
        table = [self._printed_weights(row) for row in rows]
        gradient = [0.0] * len(self.members)
        for row, weights in zip(rows, table):
            for j, vote in enumerate(row.votes):
                if vote == row.y:
                    gradient[j] += add_up(weights)
                else:
                    gradient[j] -= weights[self._others(row.y).index(vote)]
        return gradient

    def _printed(self, rows):
        for _ in range(self.n_updates):
            gradient = self._gradient(rows)
            self.alphas = [alpha + self.step * g for alpha, g in zip(self.alphas, gradient)]

    def _printed_batch(self):
        self._printed(self.window)

    def _printed_stochastic(self):
        self._printed(self.window[-1:])

    def log_loss(self):
        """Return ln E of the window."""
        pairs = [(row.w, z) for row in self.window for z in self.margins(row)]
        if self.loss == "exponential":
            return log_sum_exp([math.log(w) - z for w, z in pairs])
        soft = [max(0.0, -z) + math.log1p(math.exp(-abs(z))) for _, z in pairs]
        return math.log(add_up(w * v for (w, _), v in zip(pairs, soft)))

    def score_one(self, x):
        V = dict.fromkeys(self.classes, 0.0)
        for f, alpha in zip(self.members, self.alphas):
            V[label_of(f, x)] += alpha
        return [V[c] for c in self.classes]


class BinaryIBoostReference(IBoostReference):
    """IBoost for two classes; u_ij = y_i f_j(x_i) is +1 if member j is right, else -1."""

    def learn(self, x, y, w, guess):
        if len(self.classes) > 2:
            raise ValueError(f"two classes, not {self.classes}")
        super().learn(x, y, w, guess)

    def margins(self, row):
        z = 0.0
        for alpha, vote in zip(self.alphas, row.votes):
            z += alpha if vote == row.y else -alpha
        return [z]

    def confidence(self, prediction, table):
        D = [weights[0] for weights in table]
        total, wrong = add_up(D), 0.0
        for row, vote, weight in zip(self.window, prediction, D):
            wrong += weight if vote != row.y else 0.0
        if total == 0:
            return 0.0
        floor = 1 / (2 * max(2, len(self.window)))
        e = min(max(wrong / total, floor), 1 - floor)
        return 0.5 * math.log((1 - e) / e)

    def _implicit_stochastic(self):
        row, m = self.window[-1], len(self.members)
        (z,) = self.margins(row)
        rate = self.step * row.w
        for _ in range(self.n_updates):
            if self.loss == "logistic":
                s = rate * sigmoid(-z)
            else:
                s = lambert(math.log(rate) - z)
            for j, vote in enumerate(row.votes):
                self.alphas[j] += s / m if vote == row.y else -(s / m)
            z += s

    def _gradient(self, rows):
        table = [self._printed_weights(row)[0] for row in rows]
        gradient = [0.0] * len(self.members)
        for row, weight in zip(rows, table):
            for j, vote in enumerate(row.votes):
                gradient[j] += weight if vote == row.y else -weight
        return gradient

    def score_one(self, x):
        F = 0.0
        for f, alpha in zip(self.members, self.alphas):
            F += alpha if label_of(f, x) == self.classes[-1] else -alpha
        return [-F, F] if len(self.classes) == 2 else [F]
