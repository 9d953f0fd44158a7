"""Tables 2 to 6 and the future work: Learn++.UDNC against fuzzy ARTMAP and SMOTE."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from driftlearn import FuzzyARTMAPClassifier, LearnPPUDNCClassifier, SMOTEClassifier
from driftlearn.bench.papers.drawing import recalls
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.s2.streams_and_learners import Digits
from driftlearn.bench.papers.s4.streams_and_learners import (
    FILLED,
    GAUSSIAN,
    IMBALANCE,
    MLP_A,
    MLP_B,
    SETS,
    printed,
    rare,
    spread_table,
    udnc,
)
from driftlearn.bench.papers.setting import Alternative
from driftlearn.streams._data_set_generators import GaussianClasses

table = partial(Experiment.of_paper, "S4", overall="balanced_accuracy")


def artmap(bounds: tuple[int, int], vigilance: float = 0) -> dict[str, Any]:
    """Return ARTMAP, by default with the vigilance that comes near the printed digits."""
    return {"ARTMAP": FuzzyARTMAPClassifier.as_published(vigilance=vigilance, bounds=bounds)}


def more_vigilant(bounds: tuple[int, int]) -> dict[str, Alternative]:
    """Return ARTMAP with other vigilances."""
    return {
        f"ARTMAP with a vigilance of {vigilance}": Alternative(learners=artmap(bounds, vigilance))
        for vigilance in (0.5, 0.75)
    }


def tables_of(streams: Mapping[str, str]) -> dict[str, Any]:
    """Return figures of the recalls on streams, by the names of the figures."""
    return {name: partial(recalls, stream=stream) for name, stream in streams.items()}


TABLES_2_3 = table(
    "tables 2 and 3",
    streams={name: partial(GaussianClasses.udnc, k) for k, name in enumerate(GAUSSIAN, start=1)},
    learners={**artmap((-3, 3)), "SMOTE": SMOTEClassifier.as_published(MLP_A), **udnc(MLP_A, 15)},
    tests=SETS,
    recalls={stream: printed(number) for stream, number in zip(GAUSSIAN, "23")},
    extras={"spread of the recalls, in points": spread_table},
    figures=tables_of(dict(zip(("table 2", "table 3"), GAUSSIAN))),
    alternatives=more_vigilant((-3, 3)),
).with_quick("fewer repetitions than 20")

TABLE_5, TABLE_6 = (
    table(
        f"table {number}",
        streams={"OCR": partial(Digits, schedule)},
        learners={**artmap((0, 1)), **udnc(MLP_B, 5)},
        tests=tests,
        recalls={"OCR": printed(number)},
        figures=tables_of({f"table {number}": "OCR"}),
        alternatives={
            **more_vigilant((0, 1)),
            "a network of logistic units and outputs": Alternative(learners=udnc(MLP_A, 5)),
        },
    ).with_quick("fewer repetitions than 20", 2)
    for number, schedule, tests in (("5", "ocr-udnc", (*SETS, "D*")), ("6", "ocr-rare", SETS))
)


def with_smote(n_per_chunk: int) -> dict[str, Any]:
    """Return the learners of the future work."""
    filled = LearnPPUDNCClassifier.as_published(MLP_A, n_per_chunk, oversample="smote")
    smote = SMOTEClassifier.as_published(MLP_A)
    return {"SMOTE": smote, **udnc(MLP_A, n_per_chunk), FILLED: filled}


FUTURE_WORK = table(
    "section 4",
    streams={name: partial(rare, n_rare) for name, n_rare in zip(IMBALANCE, (10, 5))},
    learners=with_smote(15),
    tests=SETS,
    figures=tables_of(dict(zip(("section 4 1 to 50", "section 4 1 to 100"), IMBALANCE))),
).with_quick("fewer repetitions than 20, 5 members a data set", learners=with_smote(5))
