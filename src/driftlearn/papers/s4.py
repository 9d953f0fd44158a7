"""S4: Learn++.UDNC against fuzzy ARTMAP and SMOTE where new classes come and some are rare."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from driftlearn import (
    FuzzyARTMAPClassifier,
    LearnPPUDNCClassifier,
    MLPGoalClassifier,
    SMOTEClassifier,
)
from driftlearn._table import Table
from driftlearn.evaluate import holdout
from driftlearn.evaluate.metrics import std
from driftlearn.papers._experiment import Experiment, Outcome, full_only, published
from driftlearn.papers._rare_classes import (
    FILLED,
    PLAIN,
    UDNC,
    above,
    after_d3,
    alike_at_last,
    better_on_five,
    filling_helps,
    for_each,
    knows_zero,
    levels,
    rare_falls,
    smote_alike,
    survives,
)
from driftlearn.papers._schedules import Digits
from driftlearn.papers.drawing import recalls
from driftlearn.streams import GaussianClasses

MLP_A = MLPGoalClassifier.network_a(hidden_layer_size=20)
MLP_B = MLPGoalClassifier.network_b()
GAUSSIAN = ("experiment 1", "experiment 2")
SETS = ("D1", "D2", "D3", "D4")


def udnc(base: Any, n_per_chunk: int) -> dict[str, Any]:
    """Return Learn++.UDNC with and without its transfer function."""
    return {
        UDNC: LearnPPUDNCClassifier(base, n_per_chunk),
        PLAIN: LearnPPUDNCClassifier(base, n_per_chunk, transfer=None),
    }


def printed(number: str) -> dict[str, np.ndarray]:
    """Return what a table prints, by learner: a row after each data set."""
    rows = published()["S4"]["tables"][number]["rows"]
    return {
        learner: np.array([[*row["recall"], row["overall"], row["overall_ci"]]
                           for row in cells.values()])
        for learner, cells in rows.items()
    }  # fmt: skip


def rare(n_rare: int, seed: int) -> GaussianClasses:
    """Return four data sets of the four Gaussian classes, of which class 1 is rare in all."""
    return GaussianClasses(((n_rare, 500, 500, 500),) * 4, random_state=seed)


def spread_table(outcome: Outcome) -> Table:
    """Return how far the recall of each class spreads, as printed and over our seeds."""
    rows: list[tuple[Any, ...]] = []
    tests = outcome.experiment.tests
    for (stream, result), number in zip(outcome.results.items(), "23"):
        known = published()["S4"]["tables"][number]["rows"]
        for learner in result.names:
            ours = 100 * std(result.recalls(learner), axis=0)
            for k, test in enumerate(tests):
                if learner in known:
                    printed = np.array(known[learner][test]["ci"], dtype=float)
                    rows.append((stream, learner, test, "published", *printed.tolist()))
                rows.append((stream, learner, test, "ours", *ours[k].round(2).tolist()))
    names = ("stream", "learner", "after", "figures", "1", "2", "3", "4")
    return Table(dict(zip(names, zip(*rows))))


ARTMAP_NOTE = (
    "S4 does not print its vigilance; 0, with which the boxes may grow, comes near the printed "
    "numbers on the digits; at 0.75 it is nearly the nearest neighbour, at 99 after D4, and "
    "better than Learn++.UDNC"
)

TABLES_2_3 = Experiment(
    paper="S4",
    item="tables 2 and 3",
    title="Gaussian classes of which one is rare, two come later and one goes",
    streams={name: partial(GaussianClasses.udnc, k) for k, name in enumerate(GAUSSIAN, start=1)},
    learners={
        "ARTMAP": FuzzyARTMAPClassifier(vigilance=0, bounds=(-3, 3)),
        "SMOTE": SMOTEClassifier(MLP_A),
        **udnc(MLP_A, 15),
    },
    protocol=holdout,
    claims=(
        for_each("recall of class 1 falls from D1 to D3", rare_falls, GAUSSIAN),
        above("class 1: UDNC above ARTMAP after each data set", GAUSSIAN, "ARTMAP", SETS, 1),
        above("class 1: better with the transfer function", GAUSSIAN, PLAIN, SETS, 1),
        *full_only(
            for_each("class 3 within 5 points when it is gone, at least 75", survives, GAUSSIAN),
            for_each("overall after D3 from 82 to 92", after_d3, GAUSSIAN),
            above("class 1: UDNC over 30 points above ARTMAP", GAUSSIAN, "ARTMAP", SETS, 1, 30),
            above("overall: UDNC above ARTMAP after each data set", GAUSSIAN, "ARTMAP", SETS),
            above("class 3 after D4: UDNC above SMOTE", GAUSSIAN, "SMOTE", ("D4",), 3),
            for_each("class 1: UDNC and SMOTE within 6 points at D1 and D2, SMOTE better at D4",
                     smote_alike, GAUSSIAN),
            above("overall: better with the transfer function", GAUSSIAN, PLAIN, SETS),
        ),
    ),
    notes={
        UDNC: "class 1 is known 6 to 19 points better than printed, as by ARTMAP and SMOTE; with "
        "standard deviations of 0.45 instead of 0.35 these two come nearer: the data of the paper "
        "seem to overlap more than the Bayes performance of 93.1 that it states allows",
        "experiment 1/SMOTE": "ten rows of class 3 in D4 suffice here, at the printed Bayes "
        "performance; the paper prints 78",
    },
    tests=SETS,
    recalls={stream: printed(number) for stream, number in zip(GAUSSIAN, "23")},
    overall="balanced_accuracy",
    options={"log_loss": False},
    extras={"spread of the recalls, in points": spread_table},
    figures={f"table {number}": partial(recalls, stream=stream)
             for stream, number in zip(GAUSSIAN, "23")},
).with_quick("fewer repetitions than 20")  # fmt: skip

OCR: dict[str, Any] = {
    "paper": "S4",
    "learners": {"ARTMAP": FuzzyARTMAPClassifier(vigilance=0, bounds=(0, 1)), **udnc(MLP_B, 5)},
    "protocol": holdout,
    "overall": "balanced_accuracy",
    "options": {"log_loss": False},
}

TABLE_5 = Experiment(
    item="table 5",
    title="digits that come and go; then D*, where all are present and two are rare",
    streams={"OCR": partial(Digits, "ocr-udnc")},
    claims=(
        above("UDNC above ARTMAP after D3 and D4", ("OCR",), "ARTMAP", ("D3", "D4")),
        above("class 1 after D*: UDNC above ARTMAP", ("OCR",), "ARTMAP", ("D*",), 1),
        above("class 1 after D*: better with the transfer function", ("OCR",), PLAIN, ("D*",), 1),
        *full_only(
            levels({"D1": (45, 51), "D2": (55, 64), "D3": (71, 81), "D4": (85, 93),
                    "D*": (88, 95)}),
            for_each("UDNC and ARTMAP within 3 points after D*", alike_at_last, ("OCR",)),
            above("overall after D*: better with the transfer function", ("OCR",), PLAIN, ("D*",)),
        ),
    ),
    notes={"ARTMAP": ARTMAP_NOTE},
    tests=(*SETS, "D*"),
    recalls={"OCR": printed("5")},
    figures={"table 5": partial(recalls, stream="OCR")},
    **OCR,
).with_quick("fewer repetitions than 20", 2)  # fmt: skip

TABLE_6 = Experiment(
    item="table 6",
    title="digits that come and go, digit 0 always there and rare",
    streams={"OCR": partial(Digits, "ocr-rare")},
    claims=(
        levels({"D1": (54, 60), "D2": (62, 73), "D3": (70, 79), "D4": (84, 91)}),
        *full_only(
            for_each("class 0 at least 95 after each data set", knows_zero, ("OCR",)),
            above("UDNC above ARTMAP after each data set", ("OCR",), "ARTMAP", SETS),
            for_each("UDNC above ARTMAP on 2, 3, 6, 7, 8 after D4", better_on_five, ("OCR",)),
            above("class 0: better with the transfer function", ("OCR",), PLAIN, SETS, 0),
        ),
    ),
    notes={"ARTMAP": ARTMAP_NOTE},
    tests=SETS,
    recalls={"OCR": printed("6")},
    figures={"table 6": partial(recalls, stream="OCR")},
    **OCR,
).with_quick("fewer repetitions than 20", 2)

IMBALANCE = ("1:50", "1:100")
FUTURE_WORK = Experiment(
    paper="S4",
    item="section 4",
    title="future work: SMOTE inside Learn++.UDNC, Gaussian classes, class 1 rare throughout",
    streams={"1:50": partial(rare, 10), "1:100": partial(rare, 5)},
    learners={
        "SMOTE": SMOTEClassifier(MLP_A),
        **udnc(MLP_A, 15),
        FILLED: LearnPPUDNCClassifier(MLP_A, 15, oversample="smote"),
    },
    protocol=holdout,
    claims=(
        above("class 1: better with the transfer function", IMBALANCE, PLAIN, SETS, 1),
        *full_only(
            *(
                for_each(f"{what} after D4: UDNC with SMOTE above {other}",
                         partial(filling_helps, other, metric), IMBALANCE)
                for other in (UDNC, "SMOTE")
                for what, metric in (("class 1", "recall"), ("balanced accuracy", "overall"))
            ),
            above("balanced accuracy: better with the transfer function", IMBALANCE, PLAIN, SETS),
        ),
    ),
    tests=SETS,
    overall="balanced_accuracy",
    options={"log_loss": False},
    figures={f"section 4 {k}": partial(recalls, stream=name)
             for k, name in zip(("1 to 50", "1 to 100"), IMBALANCE)},
).with_quick("fewer repetitions than 20, 5 members a data set", learners={
    "SMOTE": SMOTEClassifier(MLP_A),
    **udnc(MLP_A, 5),
    FILLED: LearnPPUDNCClassifier(MLP_A, 5, oversample="smote"),
})  # fmt: skip
