"""A variant of Figures 3 and 4: weights by Equation 6 as printed, a sum where we take a mean."""

from functools import partial

import numpy as np
from sklearn.base import clone

from driftlearn.bench.papers.claim import Claim, Judged, full_only, ours
from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.s0.claims import rises_after_half
from driftlearn.bench.papers.s0.streams_and_learners import BASE_NAMES, BASES, LEARNERS, board, sea

KINDS = {
    "ensemble": "Learn++.NSE, sliding mean",
    "printed": "Learn++.NSE, Equation 6 as printed",
    "single": "newest member",
}
STREAMS = {"checkerboard": board, "SEA": sea}
PRINTED = {
    f"printed {base}": clone(LEARNERS[f"ensemble {base}"]).set_params(weighting="printed")
    for base in BASES
}


def course(outcome: Outcome, stream: str, learner: str) -> np.ndarray:
    """Return the accuracy over time in percent, the mean over seeds."""
    scores: np.ndarray = outcome.results[stream].scores(learner)
    return 100 * scores.mean(axis=0)


def better(stream: str, text: str, kind: str, other: str) -> Claim:
    """Say that one way of weighting has more right than another over every base learner."""

    def judge(outcome: Outcome) -> Judged:
        margins, figures = {}, []
        for base in BASES:
            own, theirs = (outcome.accuracy(stream, f"{k} {base}") for k in (kind, other))
            margins[base] = own - theirs
            figures.append(f"{base} {own:.2f} against {theirs:.2f}")
        return margins, "; ".join(figures)

    return Claim(f"{stream}: {text}", judge, (stream,))


def rises_by_more(outcome: Outcome) -> Judged:
    """Judge whether the sliding mean gains more than the sum when the board repeats itself."""
    margins, figures = {}, []
    for base in BASES:
        mean, total = (
            course(outcome, "checkerboard", f"{kind} {base}") for kind in ("ensemble", "printed")
        )
        parts, figure = rises_after_half(mean, total)
        margins[base] = parts["more than the single"]
        figures.append(f"{base} {figure}")
    return margins, "; ".join(figures)


EQUATION_6 = Experiment(
    paper="S0",
    item="variant equation 6",
    title="Equation 6 as printed, whose sum grows with a member's age, on the streams of Figures 3 "
    "and 4",
    streams=STREAMS,
    learners={**LEARNERS, **PRINTED},
    claims=full_only(
        *ours(
            "variant",
            *(
                claim
                for stream in STREAMS
                for claim in (
                    better(stream, "the sliding mean better than the printed sum",
                           "ensemble", "printed"),
                    better(stream, "the printed sum better than the newest member",
                           "printed", "single"),
                )
            ),
            Claim("checkerboard: after half a turn the sliding mean gains more", rises_by_more,
                  ("checkerboard",)),
        )
    ),
    notes={
        "Equation 6": "a sum, and the sigmoid is taken of the error itself, so that it is nearly "
        "the same for all: votes fall with age and at last turn negative"
    },
    figures={
        "variant equation 6": partial(
            courses,
            panels={
                f"{stream}, {BASE_NAMES[base]}": (stream, tuple(f"{kind} {base}" for kind in KINDS))
                for base in BASES
                for stream in STREAMS
            },
            columns=2,
            over="time",
            names={name: KINDS[name.split()[0]] for name in (*LEARNERS, *PRINTED)},
        )
    },
).with_quick(
    "60 of 700 steps, 12,000 of 50,000 rows",
    streams={"checkerboard": partial(board, n_steps=60), "SEA": partial(sea, n_rows=12_000)},
)  # fmt: skip
