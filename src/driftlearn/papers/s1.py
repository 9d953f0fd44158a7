"""S1: DTEL against SEA, Learn++.NSE, AUE2 and TIX."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numpy as np

from driftlearn import (
    AUE2Classifier,
    DTELClassifier,
    LearnPPNSEClassifier,
    SEAClassifier,
    TIXClassifier,
)
from driftlearn.evaluate import holdout, prequential, win_tie_loss
from driftlearn.papers._experiment import Claim, Experiment, Outcome, published
from driftlearn.streams import S1_STREAMS, load, s1_stream

LEARNERS = {
    "DTEL": DTELClassifier(n_estimators=25),
    "SEA": SEAClassifier(n_estimators=25),
    "Learn++.NSE": LearnPPNSEClassifier(),
    "AUE2": AUE2Classifier(n_estimators=25),
    "TIX": TIXClassifier(n_estimators=25),
}

NOTES = {
    "Learn++.NSE": "ours is 2 to 4 points better than printed: the authors probably used fully "
    "grown trees in it, or another weighting over time",
    "ROT": "the source data of ROT are lost; nine parallel bands stand in for them",
}


def printed(table: str) -> dict[str, dict[str, float]]:
    """Return the means that a table of S1 prints, for each stream and learner."""
    rows = published()["S1"]["tables"][table]["rows"]
    return {
        stream: {learner: cell["mean"] for learner, cell in cells.items()}
        for stream, cells in rows.items()
    }


def near(kind: str) -> Claim:
    """Say that three learners come within 1.5 points of print on the streams of a kind."""
    streams = tuple(name for name in S1_STREAMS if name.startswith(kind))

    def judge(outcome: Outcome) -> tuple[bool, str]:
        learners = ("DTEL", "SEA", "TIX")
        gaps = {
            learner: np.mean([outcome.accuracy(s, learner) - TABLE_III.numbers[s][learner]
                              for s in streams])
            for learner in learners
        }  # fmt: skip
        figure = ", ".join(f"{learner} {gap:+.2f}" for learner, gap in gaps.items())
        return all(abs(gap) <= 1.5 for gap in gaps.values()), figure

    text = f"DTEL, SEA and TIX within 1.5 points of the printed means on {kind}*"
    return Claim(text, judge, streams)


def best_on_nine(outcome: Outcome) -> tuple[bool, str]:
    """Judge on how many streams DTEL has the best mean, to the printed precision."""
    means = np.round([outcome.accuracies(name) for name in LEARNERS], 1)
    wins = int((means[0] >= means.max(axis=0)).sum())
    return wins >= 9, f"{wins} of {means.shape[1]}"


def steady(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether abrupt and gradual drift are the same to DTEL."""
    gap = {k: outcome.accuracy(f"{k}200A", "DTEL") - outcome.accuracy(f"{k}200G", "DTEL")
           for k in ("SEA", "CIR", "SIN")}  # fmt: skip
    figure = ", ".join(f"{kind} {value:+.2f}" for kind, value in gap.items())
    return all(abs(value) < 1.0 for value in gap.values()), figure


def tix_on_sta(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether TIX is as good as DTEL where the features are names."""
    gaps = [outcome.accuracy(s, "TIX") - outcome.accuracy(s, "DTEL")
            for s in ("STA200A", "STA200G", "STA500G")]  # fmt: skip
    return min(gaps) >= -0.5, f"TIX - DTEL at least {min(gaps):+.2f}"


def order_on_rot(outcome: Outcome) -> tuple[bool, str]:
    """Judge the order of the learners on ROT200A."""
    order = ("DTEL", "TIX", "Learn++.NSE", "AUE2", "SEA")
    values = [outcome.accuracy("ROT200A", name) for name in order]
    figure = " > ".join(f"{name} {value:.1f}" for name, value in zip(order, values))
    return all(a > b for a, b in itertools.pairwise(values)), figure


def wins_by_rank_sum(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether DTEL wins more streams than it loses against everybody."""
    counts = win_tie_loss(outcome.results, "DTEL")
    rows = [(row["against"], row["win"], row["tie"], row["loss"]) for row in counts]
    figure = ", ".join(f"{name} {win}-{tie}-{loss}" for name, win, tie, loss in rows)
    return all(win > loss for _, win, _, loss in rows), figure


TABLE_III = Experiment(
    paper="S1",
    item="table III",
    title="accuracy on fifteen synthetic streams, train and test chunk from the same concept",
    streams={name: partial(s1_stream, name) for name in S1_STREAMS},
    learners=LEARNERS,
    protocol=holdout,
    numbers=printed("III"),
    claims=(
        *(near(kind) for kind in ("SEA", "CIR", "SIN", "STA")),
        Claim("DTEL best or tied on at least 9 of 15 streams", best_on_nine),
        Claim("DTEL beats each other learner on more streams than it loses", wins_by_rank_sum),
        Claim(
            "DTEL: abrupt and gradual drift within a point on SEA, CIR, SIN",
            steady,
            ("SEA200A", "SEA200G", "CIR200A", "CIR200G", "SIN200A", "SIN200G"),
        ),
        Claim(
            "TIX at least DTEL - 0.5 on STA",
            tix_on_sta,
            ("STA200A", "STA200G", "STA500G"),
        ),
        Claim("on ROT200A DTEL > TIX > Learn++.NSE > AUE2 > SEA", order_on_rot, ("ROT200A",)),
    ),
    notes=NOTES,
)


def real(name: str, n_rows: int, seed: int) -> Any:
    """Return the first rows of a real stream; the seed plays no part."""
    return load(name, n_rows=n_rows)


def best_on_covertype(outcome: Outcome) -> tuple[bool, str]:
    """Judge by how much DTEL leads on Covertype."""
    values = {name: outcome.accuracy("Covertype", name) for name in LEARNERS}
    second = max(value for name, value in values.items() if name != "DTEL")
    return values["DTEL"] > second, f"DTEL {values['DTEL']:.2f}, next {second:.2f}"


TABLE_V = Experiment(
    paper="S1",
    item="table V",
    title="accuracy on real streams, test then train in chunks of 1,000",
    streams={
        "Covertype": partial(real, "covertype", 581_000),
        "PokerHand": partial(real, "poker", 99_000),
        "Electricity": partial(real, "electricity", 44_000),
    },
    learners=LEARNERS,
    protocol=prequential,
    options={"chunk_size": 1000},
    numbers=printed("V"),
    claims=(Claim("DTEL best on Covertype", best_on_covertype, ("Covertype",)),),
    notes={
        "PokerHand": "the first 99,000 of the million rows",
        "CTRPrediction": "the data are not public",
    },
)
