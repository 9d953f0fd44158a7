"""A variant: what wrong labels do to the two losses."""

from __future__ import annotations

from functools import partial

from driftlearn.evaluate import holdout
from driftlearn.online.iboost import IBoostClassifier
from driftlearn.papers._boosting import ahead, at_least
from driftlearn.papers._experiment import Experiment, full_only
from driftlearn.papers.drawing import courses
from driftlearn.papers.s3._common import BATCH, EVERY_50, LOGISTIC, STOCHASTIC, sea

LOSSES = {
    f"{name} M={M}{suffix}": IBoostClassifier(n_estimators=M, update=update, loss=loss)
    for M in (50, 200)
    for name, update in ((STOCHASTIC, "stochastic"), (BATCH, "batch"))
    for suffix, loss in (("", "exponential"), (LOGISTIC, "logistic"))
}
NOISE = Experiment(
    paper="S3",
    item="variant noise",
    title="not in the paper: stumps on SEA, 12,000 rows of which one label in ten is wrong",
    streams={"SEA": partial(sea, n_rows=12_000, noise=0.1)},
    learners=LOSSES,
    protocol=holdout,
    options=EVERY_50,
    claims=tuple(
        claim
        for name in LOSSES
        if name.endswith(LOGISTIC)
        for claim in (
            *full_only(at_least("SEA", name, 87.0)),
            ahead("SEA", name, (name.removesuffix(LOGISTIC),)),
        )
    ),
    notes={"SEA": "SEA without noise is Table 2; concepts are 3,000 rows long here"},
    figures={"variant noise": courses},
).with_quick("6,000 of 12,000 rows", streams={"SEA": partial(sea, n_rows=6_000, noise=0.1)})
