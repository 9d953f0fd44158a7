"""All tables, a variant with few members, and Section 4: Learn++.MT compared with Learn++."""

from functools import partial
from typing import Any

import driftlearn as dl
from driftlearn.bench.papers.drawing import recalls
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.s2 import streams_and_learners as s2

SUB = "members of the data set only in the composite"
FEWER_RUNS = "fewer repetitions than 30"
table = partial(Experiment.of_paper, "S2")


def with_goal(goal: float) -> dl.MLPGoalClassifier:
    """Return the network with a changed error goal."""
    return dl.MLPGoalClassifier.network_a(goal=goal)


def members(old: str, new: str, per_set: bool) -> dict[str, Any]:
    """Return the table of the number of members."""
    return {"members after each data set": partial(s2.members_table, old, new, per_set)}


WINE: dict[str, Any] = {
    "streams": {"wine": s2.Wine},
    "tests": ("D1", "D2"),
    "recalls": {"wine": s2.printed("2", "3")},
}
TABLES_2_3 = table(
    "tables 2 and 3",
    learners=s2.validated(),
    extras=members("2", "3", False),
    figures={"tables 2 and 3": partial(recalls, stream="wine")},
    alternatives={
        SUB: s2.validated(composite="sub"),
        "ties to the longest prefix": s2.validated(ties="last"),
        "ties to the longest prefix, error goal 0.1": s2.validated(with_goal(0.1), ties="last"),
    },
    **WINE,
).with_quick(FEWER_RUNS, 2)
FIVE_AND_FIVE = table(
    "variant 5+5 of tables 2 and 3",
    learners=s2.both({"": s2.MLP, **s2.OTHER_BASES}),
    figures={"variant 5+5": partial(recalls, stream="wine", learners=("Learn++", "Learn++.MT"))},
    **WINE,
).with_quick(FEWER_RUNS, 2)

OCR: dict[str, Any] = {
    "streams": {"OCR": partial(s2.Digits, "ocr-mt")},
    "tests": ("D1", "D2", "D3"),
}
TABLES_5_6 = table(
    "tables 5 and 6",
    learners={**s2.both({"": s2.MLP}), "Learn++.NC": dl.LearnPPNCClassifier.as_published(s2.MLP)},
    recalls={"OCR": s2.printed("5", "6")},
    figures={"tables 5 and 6": partial(recalls, stream="OCR")},
    alternatives={
        SUB: s2.both({"": s2.MLP}, composite="sub"),
        **{f"error goal {goal}": s2.both({"": with_goal(goal)}) for goal in (0.1, 0.01)},
    },
    **OCR,
).with_quick(FEWER_RUNS, 2)
SECTION_4 = table(
    "section 4",
    learners=s2.both(s2.OTHER_BASES),
    figures={
        f"section 4{base}": partial(recalls, stream="OCR", learners=tuple(s2.both({base: None})))
        for base in s2.OTHER_BASES
    },
    **OCR,
).with_quick(FEWER_RUNS, 2)

SENSORS = ("gas", "alcohol")
TABLES_8_9 = table(
    "tables 8 and 9",
    streams={name: partial(s2.Vapours, name) for name in SENSORS},
    learners=s2.both({"": s2.MLP}, 6),
    tests=OCR["tests"],
    recalls=dict.fromkeys(SENSORS, s2.printed("8", "9")),
    extras=members("8", "9", True),
    figures={f"tables 8 and 9 {name}": partial(recalls, stream=name) for name in SENSORS},
    alternatives={SUB: s2.both({"": s2.MLP}, 6, composite="sub")},
).with_quick("fewer repetitions than 20", 2)
