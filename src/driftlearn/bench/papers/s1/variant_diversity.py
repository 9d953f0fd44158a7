"""A variant of Figure 4's streams: other measures of diversity, and fewer transfers."""

from functools import partial

from driftlearn import DTELClassifier
from driftlearn.bench.papers.claim import Claim, Judged, full_only, ours
from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.s1.figure_4 import STREAMS
from driftlearn.bench.papers.s1.streams_and_learners import (
    LEARNERS,
    ROT_NOTE,
    SHORT_SYNTHETIC,
    SYNTHETIC_STREAMS,
)

OTHERS = {
    f"DTEL {measure.replace('_', ' ')}": DTELClassifier.as_published(
        n_estimators=25, diversity=measure
    )
    for measure in ("disagreement", "double_fault", "entropy")
}
FEWER = {
    f"DTEL {k} transfers": DTELClassifier.as_published(n_estimators=25, n_transfers=k)
    for k in (10, 5)
}


def not_worse(learner: str, than: str, points: float) -> Claim:
    """Say that a learner is not worse than another by more than some points on any stream."""

    def judge(outcome: Outcome) -> Judged:
        gaps = {s: outcome.accuracy(s, learner) - outcome.accuracy(s, than) for s in STREAMS}
        figure = ", ".join(f"{stream} {gap:+.2f}" for stream, gap in gaps.items())
        return {stream: gap + points for stream, gap in gaps.items()}, figure

    return Claim(f"{learner} at most {points:g} point worse than {than}", judge)


def faster(learner: str, than: str) -> Claim:
    """Say that a learner takes less time than another on every stream."""

    def judge(outcome: Outcome) -> Judged:
        shares = {s: outcome.value(s, learner, "seconds") / outcome.value(s, than, "seconds")
                  for s in STREAMS}  # fmt: skip
        figure = ", ".join(f"{stream} {share:.0%}" for stream, share in shares.items())
        return {stream: 1 - share for stream, share in shares.items()}, f"of its time: {figure}"

    return Claim(f"{learner} faster than {than}", judge)


DIVERSITY = Experiment(
    paper="S1",
    item="variant diversity",
    title="DTEL with other measures of diversity, and with transfers of the fittest models only",
    streams={name: SYNTHETIC_STREAMS[name] for name in STREAMS},
    learners={"DTEL": LEARNERS["DTEL"], **OTHERS, **FEWER},
    claims=full_only(
        *ours(
            "variant",
            *(not_worse("DTEL", name, 1) for name in OTHERS),
            *(not_worse(name, "DTEL", 1) for name in FEWER),
            *(faster(name, "DTEL") for name in FEWER),
        )
    ),
    notes={
        "ROT": ROT_NOTE,
        "DTEL": "keeps the models with the smallest Q statistic and transfers all of them, as the "
        "paper does; it says that any measure could be used, and that transferring the models that "
        "are most worthy of it might do",
    },
    figures={"variant diversity": partial(courses, columns=2, over="chunk", smooth=10)},
).with_quick(
    "the first 40 of 120 chunks", streams={name: SHORT_SYNTHETIC[name] for name in STREAMS}
)
