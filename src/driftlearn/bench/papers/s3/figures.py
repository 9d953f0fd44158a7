"""Figures 5 and 6 on a million rows, and variants with label noise and multi-class IBoost."""

from functools import partial
from typing import Any

import driftlearn as dl
from driftlearn import streams
from driftlearn.bench.papers.drawing import courses
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.s1.streams_and_learners import changed, real
from driftlearn.bench.papers.s3.claims import BATCH, STOCHASTIC
from driftlearn.bench.papers.s3.tables import EVERY_50, NB, rivals, sea
from driftlearn.evaluate._protocols import prequential

NAIVE, STUMPS, LOGISTIC = "IBoost naive Bayes", "IBoost stumps", " logistic"
SHORT, WINDOW = "DWM p=50", "naive Bayes on the window"
experiment = partial(Experiment.of_paper, "S3")


def twenty(base: Any, **options: Any) -> dl.IBoostClassifier:
    """Return IBoost with the settings of Figures 5 and 6: M = 20, n = 200, p = 10, b = 1."""
    return dl.IBoostClassifier.as_published(base, 20, period=10, n_updates=1, **options)


def every(n_rows: int, size: int) -> dict[str, Any]:
    """Return options of prequential evaluation: rows per batch, and rows per point of the curve."""
    return {"chunk_size": size, "every": n_rows, "log_loss": False}


LEARNERS: dict[str, Any] = {
    NAIVE: twenty(NB, weight_clip=2.0),
    NAIVE + LOGISTIC: twenty(NB, weight_clip=2.0, loss="logistic"),
    f"{NAIVE} p=1 b=5": dl.IBoostClassifier.as_published(NB, 20, weight_clip=2.0),
    STUMPS: twenty(None),
    STUMPS + LOGISTIC: twenty(None, loss="logistic"),
    **{name: rival for name, rival in rivals(M=20, period=500).items() if name != "FLB"},
    SHORT: dl.DWMClassifier.as_published(NB, 20, period=50, variant="windowed", window_size=200),
    WINDOW: dl.WindowedAdaBoostClassifier(NB, 1),
}
# learners that the paper draws beside IBoost
DRAWN = ("OnlineBoost", "FLC", "AdWinBagg", "OCB", "DWM")


def figure(number: int, n_rows: int = 1_000_000) -> Experiment:
    """Return Figure 5 (LED, four columns swapped halfway) or Figure 6 (RBF, ten moving centers)."""
    stream = {5: "LED", 6: "RBF"}[number]
    panels = {
        f"{stream}: the paper's learners": (stream, (NAIVE, *DRAWN)),
        f"{stream}: other forms of IBoost, and controls": (
            stream, tuple(name for name in LEARNERS if name not in DRAWN),
        ),
    }  # fmt: skip
    return experiment(
        f"figure {number}",
        {"n_rows": n_rows, "row": n_rows * 8 // 100},
        streams={stream: partial(made, stream, n_rows)},
        learners=LEARNERS,
        protocol=prequential,
        options=every(1_000, 20),
        figures={f"figure {number}": partial(courses, panels=panels)},
    )


def made(name: str, n_rows: int, seed: int) -> streams.LED | streams.RBF:
    """Return the stream of Figure 5 or 6."""
    if name == "LED":
        return streams.LED(n_rows, (n_rows // 2,), random_state=seed)
    return streams.RBF(n_rows, random_state=seed)


FIGURE_5, FIGURE_6 = (
    figure(number).with_quick(
        "10,000 of 1,000,000 rows", of=figure(number, 10_000), options=every(200, 20)
    )
    for number in (5, 6)
)

NOISE = experiment(
    "variant noise",
    streams={"SEA": partial(sea, n_rows=12_000, noise=0.1)},
    learners={
        f"{name} M={M}{suffix}": dl.IBoostClassifier.as_published(
            n_estimators=M, update=update, loss=loss
        )
        for M in (50, 200)
        for name, update in ((STOCHASTIC, "stochastic"), (BATCH, "batch"))
        for suffix, loss in (("", "exponential"), (LOGISTIC, "logistic"))
    },
    options=EVERY_50,
    figures={"variant noise": courses},
).with_quick("6,000 of 12,000 rows", streams={"SEA": partial(sea, n_rows=6_000, noise=0.1)})

fifty = partial(dl.IBoostClassifier.as_published, n_estimators=50, update="batch", loss="logistic")
MANY_CLASSES: dict[str, Any] = {
    "IBoost CART depth 3": fifty(dl.CARTClassifier.as_published(max_depth=3)),
    "IBoost CART": fifty(dl.CARTClassifier.as_published()),
    NAIVE: fifty(NB),
    **{
        f"{name} {base}": learner
        for base, model in (("naive Bayes", NB), ("Hoeffding tree", dl.HoeffdingTreeClassifier()))
        for name, learner in rivals(M=50, period=50, base=model).items()
        if name in ("OnlineBoost", "AdWinBagg", "DWM")
    },
}
CLASSES = experiment(
    "variant classes",
    streams={"ROT200G": partial(streams.s1_stream, "ROT200G")},
    learners=MANY_CLASSES,
    figures={"variant classes": courses},
).with_quick(
    "the first 15 of 120 chunks", streams={"ROT200G": partial(changed, "ROT200G", n_rows=15)}
)
COVERTYPE = experiment(
    "variant covertype",
    streams={"Covertype": partial(real, "covertype", 50_000)},
    learners=MANY_CLASSES,
    protocol=prequential,
    options=every(1_000, 50),
    figures={"variant covertype": courses},
).with_quick(
    "4,000 of 50,000 rows",
    streams={"Covertype": partial(real, "covertype", 4_000)},
    options=every(200, 50),
)
