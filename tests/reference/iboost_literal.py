"""IBoost with convention="literal" (S3 Eq. 3, 4, 9, 15 and 16 as printed), two classes.

The training loop is that of `tests.reference.iboost`. Every row of the window has a persistent
weight:

* a new row gets its weight by (15) with the present alphas;
* when a member is removed, its part of the weights is removed by (16);
* every set of updates is followed by (9) for all rows, whatever `n_updates` and also if nothing
  changed; so is the rule that keeps the last member with alpha LEAST, because that alpha is new;
* a new member is trained with these weights and has alpha = ln((1-e)/e) with e clipped as in the
  other conventions; if it is admitted, the weights are updated by (4).

Decisions: weights are stored as logarithms and passed to the base learner up to a common factor,
times the row weights. `weight_clip` bounds the logarithm when it is used, which after (9) is the
clip of the margin. The updates themselves are those of `rule`, with exp(-y F) in them (Eq. 13, 14);
the batch step of the implicit rule remains a fraction of 1/2 ln(W+/W-), because the paper prints no
equation for it.
"""

from __future__ import annotations

import math

from tests.reference.cart import add_up
from tests.reference.iboost import BinaryIBoostReference, clipped


def wrong_alphas(row, alphas):
    """Return sum_t alpha_t I(y != f_t(x))."""
    return add_up(alpha for alpha, vote in zip(alphas, row.votes) if vote != row.y)


class LiteralIBoostReference(BinaryIBoostReference):
    def __init__(self, train, *args, **options):
        super().__init__(train, *args, **options)
        if self.loss != "exponential":
            raise ValueError(f"the exponential loss, not {self.loss!r}")

    def slide(self, x, y, w):
        super().slide(x, y, w)
        row = self.window[-1]
        row.log_weight = wrong_alphas(row, self.alphas)  # (15)

    def _remove(self, out):
        gone = [alpha if j in out else 0.0 for j, alpha in enumerate(self.alphas)]
        for row in self.window:
            row.log_weight -= wrong_alphas(row, gone)  # (16)
        super()._remove(out)

    def update(self):
        super().update()
        self.recalculate()

    def _remove_negatives(self):
        found = any(alpha < 0 for alpha in self.alphas)
        super()._remove_negatives()
        if found:
            self.recalculate()

    def recalculate(self):
        for row in self.window:
            (margin,) = self.margins(row)
            row.log_weight = -margin  # (9)

    def training_weights(self):
        logs = [clipped(row.log_weight, self.weight_clip) for row in self.window]
        return [[row.w * math.exp(log - max(logs))] for row, log in zip(self.window, logs)]

    def newcomer_alpha(self, prediction, table):
        return 2 * self.confidence(prediction, table)  # (3)

    def admit(self, model, alpha, prediction):
        super().admit(model, alpha, prediction)
        for row, vote in zip(self.window, prediction):
            row.log_weight += alpha if vote != row.y else 0.0  # (4)
