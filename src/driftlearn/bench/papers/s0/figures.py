"""Figures 2 to 4: the rotating checkerboard, and accuracy on it and on SEA; and two variants."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.svm import SVC

from driftlearn import CARTClassifier, GaussianNBClassifier, LearnPPNSEClassifier, MLPGoalClassifier
from driftlearn.bench.papers.drawing import courses, snapshots
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.setting import Alternative
from driftlearn.streams._data_set_generators import Checkerboard
from driftlearn.streams._piecewise import SEA

BASES: dict[str, Any] = {
    "MLP": MLPGoalClassifier(25, solver="scg", init="nguyen-widrow", goal=0.1, max_iter=500),
    "SVM": SVC(kernel="rbf", gamma=2.0, C=10_000),
    "NB": GaussianNBClassifier(constant="density"),
}
RATE_BASES = {"NB": BASES["NB"], "CART": CARTClassifier()}
BASE_NAMES = {
    "MLP": "network", "SVM": "support vector machine", "NB": "naive Bayes", "CART": "CART",
}  # fmt: skip


def both(bases: Mapping[str, Any]) -> dict[str, Any]:
    """Return Learn++.NSE and its newest member over each base learner."""
    return {
        f"{kind} {base}": learner
        for base, estimator in bases.items()
        for kind, learner in (
            ("ensemble", LearnPPNSEClassifier.as_published(estimator)),
            ("single", LearnPPNSEClassifier.as_published(estimator, 1, prune="age")),
        )
    }


def board(seed: int, n_steps: int = 700, rate: str = "constant") -> Checkerboard:
    """Return the rotating checkerboard of Figures 2 and 3."""
    return Checkerboard(n_steps=n_steps, rate=rate, random_state=seed)


def sea(seed: int, n_rows: int = 50_000) -> SEA:
    """Return the SEA concepts of Figure 4."""
    return SEA(n_rows=n_rows, noise=0.1, random_state=seed)


LEARNERS = both(BASES)
ENSEMBLES = [name for name in LEARNERS if name.startswith("ensemble")]
CALLED = {"ensemble": "Learn++.NSE", "single": "newest member"}
figure = partial(Experiment.of_paper, "S0")
time_courses = partial(courses, over="time")


def panels(stream: str) -> dict[str, tuple[str, tuple[str, str]]]:
    """Return the panels of Figures 3 and 4: one for each base learner."""
    return {BASE_NAMES[base]: (stream, (f"ensemble {base}", f"single {base}")) for base in BASES}


def called(kinds: dict[str, str], learners: dict[str, object]) -> dict[str, str]:
    """Return the names in the legend."""
    return {name: kinds[name.split()[0]] for name in learners}


DRAWN = {
    "members trained on rows drawn by D": Alternative(
        learners={
            name: clone(LEARNERS[name]).set_params(use_distribution="resample")
            for name in ENSEMBLES
        }
    )
}
FIGURE_2 = figure(
    "figure 2", streams={"checkerboard": board}, learners={}, figures={"figure 2": snapshots}
)
FIGURE_3 = figure(
    "figure 3",
    streams={"checkerboard": board},
    learners=LEARNERS,
    figures={
        "figure 3": partial(
            time_courses, panels=panels("checkerboard"), names=called(CALLED, LEARNERS)
        )
    },
    alternatives=DRAWN,
).with_quick("60 of 700 steps", streams={"checkerboard": partial(board, n_steps=60)})
FIGURE_4 = figure(
    "figure 4",
    streams={"SEA": sea},
    learners=LEARNERS,
    figures={
        "figure 4": partial(time_courses, panels=panels("SEA"), names=called(CALLED, LEARNERS))
    },
    alternatives=DRAWN,
).with_quick("12,000 of 50,000 rows", streams={"SEA": partial(sea, n_rows=12_000)})

RATES = ("constant", "rising", "falling", "pulsing")
RATE_LEARNERS = both(RATE_BASES)
CHANGING_RATE = figure(
    "variant changing rate",
    streams={rate: partial(board, rate=rate) for rate in RATES},
    learners=RATE_LEARNERS,
    figures={
        "variant changing rate": partial(
            time_courses,
            panels={
                f"{rate}, {BASE_NAMES[base]}": (rate, tuple(f"{kind} {base}" for kind in CALLED))
                for rate in RATES
                for base in RATE_BASES
            },
            columns=2,
            names=called(CALLED, RATE_LEARNERS),
        )
    },
).with_quick(
    "100 of 700 steps", streams={rate: partial(board, n_steps=100, rate=rate) for rate in RATES}
)

WEIGHTINGS = {
    "ensemble": "Learn++.NSE, sliding mean",
    "printed": "Learn++.NSE, Equation 6 as printed",
    "single": "newest member",
}
STREAMS = {"checkerboard": board, "SEA": sea}
PRINTED = {
    name.replace("ensemble", "printed"): clone(LEARNERS[name]).set_params(weighting="printed")
    for name in ENSEMBLES
}
EQUATION_6 = figure(
    "variant equation 6",
    streams=STREAMS,
    learners={**LEARNERS, **PRINTED},
    figures={
        "variant equation 6": partial(
            time_courses,
            panels={
                f"{stream}, {BASE_NAMES[base]}": (
                    stream,
                    tuple(f"{kind} {base}" for kind in WEIGHTINGS),
                )
                for base in BASES
                for stream in STREAMS
            },
            columns=2,
            names=called(WEIGHTINGS, {**LEARNERS, **PRINTED}),
        )
    },
).with_quick(
    "60 of 700 steps, 12,000 of 50,000 rows",
    streams={"checkerboard": partial(board, n_steps=60), "SEA": partial(sea, n_rows=12_000)},
)
