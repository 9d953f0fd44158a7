"""Figures 2, 3 and 4: the checkerboard that turns, and accuracy on it and on SEA."""

from functools import partial

from sklearn.base import clone

from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.drawing.checkerboard_snapshots import snapshots
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.s0 import claims
from driftlearn.bench.papers.s0.streams_and_learners import BASE_NAMES, BASES, LEARNERS, board, sea
from driftlearn.bench.papers.setting import Alternative


def panels(stream: str) -> dict[str, tuple[str, tuple[str, str]]]:
    """Return the panels of Figures 3 and 4: one a base learner."""
    return {BASE_NAMES[base]: (stream, (f"ensemble {base}", f"single {base}")) for base in BASES}


CALLED = {name: {"ensemble": "Learn++.NSE", "single": "newest member"}[name.split()[0]]
          for name in LEARNERS}  # fmt: skip
NETWORK = "scaled conjugate gradients, which meet the error goal of 0.1 in all chunks"
NOISE = "noise of standard deviation 0.01 is added to the features; the paper does not say how much"

DRAWN = {
    "members trained on rows drawn by D": Alternative(
        learners={
            name: clone(learner).set_params(use_distribution="resample")
            for name, learner in LEARNERS.items()
            if name.startswith("ensemble")
        }
    )
}

FIGURE_2 = Experiment(
    paper="S0",
    item="figure 2",
    title="six snapshots of the rotating checkerboard: a drawing of the stream, nothing is learned",
    streams={"checkerboard": board},
    learners={},
    notes={"checkerboard": NOISE + "; which six snapshots the paper shows is not said"},
    figures={"figure 2": snapshots},
)

FIGURE_3 = Experiment(
    paper="S0",
    item="figure 3",
    title="Learn++.NSE and its newest member on the rotating checkerboard, a turn in 700 steps",
    streams={"checkerboard": board},
    learners=LEARNERS,
    claims=claims.FIGURE_3,
    notes={"checkerboard": NOISE, "ensemble MLP": NETWORK},
    figures={
        "figure 3": partial(courses, panels=panels("checkerboard"), over="time", names=CALLED)
    },
    alternatives=DRAWN,
).with_quick("60 of 700 steps", streams={"checkerboard": partial(board, n_steps=60)})

FIGURE_4 = Experiment(
    paper="S0",
    item="figure 4",
    title="Learn++.NSE and its newest member on SEA, 200 chunks of 250 rows, 10 % noise",
    streams={"SEA": sea},
    learners=LEARNERS,
    claims=claims.FIGURE_4,
    notes={
        "SEA": "250 test rows without noise a chunk; the paper does not say",
        "ensemble MLP": NETWORK,
        "ensemble SVM": "a kernel of width 0.5 is narrow for features from 0 to 10, which are "
        "taken as they are",
    },
    figures={"figure 4": partial(courses, panels=panels("SEA"), over="time", names=CALLED)},
    alternatives=DRAWN,
).with_quick("12,000 of 50,000 rows", streams={"SEA": partial(sea, n_rows=12_000)})
