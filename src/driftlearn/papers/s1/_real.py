"""Table V and Figure 3: real streams."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from driftlearn.evaluate import prequential, rank_sum
from driftlearn.papers._experiment import Claim, Experiment, Outcome, full_only
from driftlearn.papers.drawing import courses, dots
from driftlearn.papers.s1._common import (
    BY_CHUNK,
    CTR_NOTE,
    LEARNERS,
    POKER_NOTE,
    REAL_STREAMS,
    SHORT_REAL,
    best_share,
    counts_table,
    printed,
    spread,
)


def best_by(stream: str, learner: str, points: float) -> Claim:
    """Say by how many points more than any other a learner has right on a stream."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        values = {name: outcome.accuracy(stream, name) for name in LEARNERS}
        second = max(value for name, value in values.items() if name != learner)
        figure = f"{learner} {values[learner]:.2f}, next {second:.2f}"
        return values[learner] - second > points, figure

    margin = f" by more than {points} points" if points else ""
    return Claim(f"{learner} best on {stream}{margin}", judge, (stream,))


def no_difference(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether the rank-sum test tells DTEL from any other on Electricity."""
    result = outcome.results["Electricity"].results[0]
    answers = {name: rank_sum(result.scores("DTEL"), result.scores(name))
               for name in LEARNERS if name != "DTEL"}  # fmt: skip
    figure = ", ".join(f"{name} {answer}" for name, answer in answers.items())
    return set(answers.values()) == {"tie"}, figure


def steadiest_on_covertype(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether DTEL fluctuates least on Covertype, and SEA most."""
    values = {name: spread(outcome, "Covertype", name) for name in LEARNERS}
    order = sorted(values, key=values.__getitem__)
    figure = ", ".join(f"{name} {values[name]:.1f}" for name in order)
    return (order[0], order[-1]) == ("DTEL", "SEA"), figure


def poker_in_chunks(outcome: Outcome) -> tuple[bool, str]:
    """Judge on what share of PokerHand's chunks DTEL is better than two others."""
    share = best_share(outcome, ("PokerHand",), ("Learn++.NSE", "TIX"))
    return share >= 0.95, f"{share:.2f}"


QUICK = "the first 15,000 rows"

TABLE_V = Experiment(
    paper="S1",
    item="table V",
    title="accuracy on real streams, test then train in chunks of 1,000",
    streams=REAL_STREAMS,
    learners=LEARNERS,
    protocol=prequential,
    options=BY_CHUNK,
    numbers=printed("V"),
    claims=full_only(
        best_by("Covertype", "DTEL", 0),
        best_by("Covertype", "DTEL", 3),
        best_by("PokerHand", "SEA", 0),
        Claim("Electricity: no significant difference to DTEL", no_difference, ("Electricity",)),
    ),
    notes={"PokerHand": POKER_NOTE, "CTRPrediction": CTR_NOTE},
    further={"chunk_std": printed("V", "std")},
    extras={"DTEL's wins, ties and losses by the rank-sum test": partial(counts_table, "V")},
    figures={"table V": dots},
).with_quick(QUICK, streams=SHORT_REAL)  # fmt: skip

FIGURE_3 = replace(
    TABLE_V,
    item="figure 3",
    title="accuracy over the chunks of real streams",
    claims=full_only(
        Claim("Covertype: DTEL fluctuates least, SEA most", steadiest_on_covertype, ("Covertype",)),
        Claim("PokerHand: DTEL above Learn++.NSE and TIX in all chunks but one in twenty",
              poker_in_chunks, ("PokerHand",)),
        Claim("Electricity: no significant difference to DTEL", no_difference, ("Electricity",)),
    ),
    further={},
    extras={},
    figures={"figure 3": partial(courses, over="chunk")},
).with_quick(QUICK, streams=SHORT_REAL)  # fmt: skip
