"""Variants that the paper leaves to the future: IBoost for many classes."""

from __future__ import annotations

from functools import partial
from typing import Any

from driftlearn import CARTClassifier, HoeffdingTreeClassifier
from driftlearn.evaluate import holdout, prequential
from driftlearn.online.iboost import IBoostClassifier
from driftlearn.papers._boosting import ahead, at_least
from driftlearn.papers._experiment import Experiment, full_only
from driftlearn.papers.drawing import courses
from driftlearn.papers.s1._common import short
from driftlearn.papers.s3._common import NB, rivals
from driftlearn.papers.s3._long import NAIVE
from driftlearn.streams import load, s1_stream

HOEFFDING = HoeffdingTreeClassifier()
MANY, FULL = "IBoost CART depth 3", "IBoost CART"
MANY_CLASSES: dict[str, Any] = {
    MANY: IBoostClassifier(CARTClassifier(max_depth=3), 50, update="batch", loss="logistic"),
    FULL: IBoostClassifier(CARTClassifier(), 50, update="batch", loss="logistic"),
    NAIVE: IBoostClassifier(NB, 50, update="batch", loss="logistic"),
    **{
        f"{name} {base}": learner
        for base, model in (("naive Bayes", NB), ("Hoeffding tree", HOEFFDING))
        for name, learner in rivals(M=50, period=50, base=model).items()
        if name in ("OnlineBoost", "AdWinBagg", "DWM")
    },
}
BEATEN = tuple(name for name in MANY_CLASSES if not name.startswith("IBoost"))
BAYES = tuple(name for name in BEATEN if name.endswith("naive Bayes"))

ROT = Experiment(
    paper="S3",
    item="variant classes",
    title="future work: IBoost for many classes; ROT of six classes",
    streams={"ROT200G": partial(s1_stream, "ROT200G")},
    learners=MANY_CLASSES,
    protocol=holdout,
    options={"log_loss": False},
    claims=(
        *full_only(at_least("ROT200G", MANY, 64.0)),
        ahead("ROT200G", MANY, BEATEN),
        ahead("ROT200G", FULL, BEATEN),
        ahead("ROT200G", MANY, {"DWM naive Bayes": 15, "DWM Hoeffding tree": 15}),
        ahead("ROT200G", NAIVE, BAYES),
    ),
    notes={"ROT200G": "the source data of ROT are lost; nine parallel bands stand in for them"},
    figures={"variant classes": courses},
).with_quick("the first 15 of 120 chunks", streams={"ROT200G": partial(short, "ROT200G", 15)})


def covertype(n_rows: int, seed: int) -> Any:
    """Return the first rows of covertype; the seed plays no part."""
    return load("covertype", n_rows=n_rows)


COVERTYPE = Experiment(
    paper="S3",
    item="variant covertype",
    title="future work: IBoost for many classes; the first 50,000 rows of covertype",
    streams={"Covertype": partial(covertype, 50_000)},
    learners=MANY_CLASSES,
    protocol=prequential,
    options={"chunk_size": 50, "every": 1_000, "log_loss": False},
    claims=(
        ahead("Covertype", FULL, BEATEN),
        *full_only(ahead("Covertype", MANY, BEATEN), ahead("Covertype", NAIVE, BAYES)),
    ),
    notes={
        "Covertype": "tested 50 rows at a time; of the 40,000 rows that follow, OnlineBoost over "
        "Hoeffding trees, which forgets nothing, gets more right than any IBoost here",
        FULL: "beside depth 3 because that is not first",
    },
    figures={"variant covertype": courses},
).with_quick(
    "4,000 of 50,000 rows",
    streams={"Covertype": partial(covertype, 4_000)},
    options={"chunk_size": 50, "every": 200, "log_loss": False},
)
