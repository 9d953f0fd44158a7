"""Figures 2 to 4: rotating checkerboard, accuracy on it and on SEA; and two variants."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.svm import SVC

from driftlearn import CARTClassifier, GaussianNBClassifier, LearnPPNSEClassifier, MLPGoalClassifier
from driftlearn.bench.papers.drawing import courses, snapshots
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.setting import Alternative
from driftlearn.streams._checkerboard_gaussian import Checkerboard
from driftlearn.streams._sea_cir_sta import SEA

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
    """Return Learn++.NSE and a single classifier for each base learner."""
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


def called(kinds: dict[str, str], learners: dict[str, object]) -> dict[str, str]:
    """Return the names for the legend."""
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
STREAMS = {"checkerboard": board, "SEA": sea}
SHORT = {"checkerboard": partial(board, n_steps=60), "SEA": partial(sea, n_rows=12_000)}
FIGURE_3, FIGURE_4 = (
    figure(
        item,
        streams={stream: STREAMS[stream]},
        learners=LEARNERS,
        figures={
            item: partial(
                time_courses,
                panels={
                    BASE_NAMES[base]: (stream, (f"ensemble {base}", f"single {base}"))
                    for base in BASES
                },
                names=called(CALLED, LEARNERS),
            )
        },
        alternatives=DRAWN,
    ).with_quick(size, streams={stream: SHORT[stream]})
    for item, stream, size in (
        ("figure 3", "checkerboard", "60 of 700 steps"),
        ("figure 4", "SEA", "12,000 of 50,000 rows"),
    )
)

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
).with_quick("60 of 700 steps, 12,000 of 50,000 rows", streams=SHORT)
