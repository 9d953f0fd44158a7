"""Reference implementation of adaptive conformal prediction sets with several step sizes.

Dynamically-tuned adaptive conformal inference of Gibbs and Candes (2024), section 2: candidates of
the miscoverage rate, one for each step size, are updated as in their paper of 2021, and averaged
with exponential weights of their pinball losses, of which a share is redistributed.

Decisions:

* A row's nonconformity is 1 minus the probability of a label. Its p-value is the share of the
  last 1,000 labeled rows, and of the row itself, that conform as little; of these, only rows with
  this label count if sets are conditional on the label. Rows count as labeled only if their label
  was known at the time of the prediction.
* A label is in the set unless its p-value is below the averaged rate. Without empty sets, the most
  probable label is in every set.
* Rows that are labeled together are a step: their updates are added. A step size is at most 1
  divided by the number of rows that are labeled from a prediction to the update by it.
* Rows that were predicted before any row (of their label) was labeled change no rate.
* Only the newest rows are replayed: from the last multiple of 1,000 rows that leaves at least
  2,000 rows. Rates start at 1 minus the coverage there.
* Of more than 1,000 rows that are labeled together, 1,000 evenly spaced rows count.
"""

import math

import numpy as np

STEP_SIZES = 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128
INTERVAL = 500
MOST = 1000


def pinball(alpha, beta, theta):
    """Return the pinball loss of the rate `theta` for a p-value."""
    return alpha * (beta - theta) - min(0.0, beta - theta)


class ReferenceSets:
    """Prediction sets for probabilities, one labeled row after another."""

    def __init__(self):
        # score, label, number of labeled rows when predicted, end of the step, both p-values
        self.rows = []

    def p_value(self, score, label, known, by_label):
        """Return the p-value of a score among the rows that were known at a prediction."""
        window = self.rows[:known][-MOST:]
        scores = [row[0] for row in window if not by_label or row[1] == label]
        return (1 + sum(s >= score for s in scores)) / (len(scores) + 1)

    def update(self, probas, y, known=None):
        """Add rows that are labeled together; `known` rows were labeled when they were predicted.

        `probas` holds a dict of probabilities by label for each row.
        """
        known = len(self.rows) if known is None else known
        pairs = list(zip(probas, y))
        if len(pairs) > MOST:
            pairs = [pairs[int(i)] for i in np.linspace(0, len(pairs) - 1, MOST)]
        end = len(self.rows) + len(pairs)
        for p, label in pairs:
            score = 1.0 - p.get(label, 0.0)
            both = [
                self.p_value(score, label, known, by_label) if seen else None
                for by_label, seen in (
                    (False, known), (True, label in [row[1] for row in self.rows[:known][-MOST:]])
                )
            ]  # fmt: skip
            self.rows.append((score, label, known, end, *both))

    def rate(self, coverage, label=None):
        """Return the averaged rate for the next row, among rows of `label` if it is given."""
        alpha, k = 1.0 - coverage, len(STEP_SIZES)
        sigma = 1.0 / (2 * INTERVAL)
        spread = (1 - alpha) ** 2 * alpha**3 + alpha**2 * (1 - alpha) ** 3
        eta = math.sqrt(3.0 / INTERVAL * (math.log(INTERVAL * k) + 2) / spread)
        begin = max(len(self.rows) // MOST - 2, 0) * MOST
        own = [
            (i, row) for i, row in enumerate(self.rows)
            if i >= begin and (label is None or row[1] == label)
            and row[4 + (label is not None)] is not None
        ]  # fmt: skip
        numbers = [i for i, _ in own]
        rates, weights = [alpha] * k, [1.0 / k] * k
        after = [(begin, rates)]  # the rates after the rows before a number
        for end in sorted({row[3] for _, row in own}):
            step = [(row[2], row[4 + (label is not None)]) for _, row in own if row[3] == end]
            new, losses = list(rates), [0.0] * k
            for known, beta in step:
                then = [each for n, each in after if n <= known or n == begin][-1]
                lag = sum(max(known, begin) <= i < end for i in numbers)
                for j, gamma in enumerate(STEP_SIZES):
                    missed = 1.0 if beta < then[j] else 0.0
                    new[j] += min(gamma, 1.0 / lag) * (alpha - missed)
                    losses[j] += pinball(alpha, beta, then[j])
            rates = new
            grown = [w * math.exp(-eta * (loss - min(losses))) for w, loss in zip(weights, losses)]
            shared = 1.0 - (1.0 - sigma) ** len(step)
            weights = [(1 - shared) * w / sum(grown) + shared / k for w in grown]
            after.append((end, rates))
        return sum(w * rate for w, rate in zip(weights, rates))

    def sets(self, probas, coverage, by_label=False, allow_empty=False):
        """Return the set of labels of each row."""
        found = []
        rates = {label: self.rate(coverage, label if by_label else None) for label in probas[0]}
        for p in probas:
            own = set()
            for label in p:
                if self.p_value(1.0 - p[label], label, len(self.rows), by_label) >= rates[label]:
                    own.add(label)
            if not allow_empty:
                own.add(max(p, key=p.get))
            found.append(own)
        return found
