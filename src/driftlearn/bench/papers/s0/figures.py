"""Figures 2 to 4: rotating checkerboard, accuracy on it and on SEA; and two variants."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.svm import SVC

import driftlearn as dl
from driftlearn import streams
from driftlearn.bench.papers.drawing import courses, snapshots
from driftlearn.bench.papers.experiment import Experiment

BASES: dict[str, Any] = {
    "MLP": dl.MLPGoalClassifier(25, solver="scg", init="nguyen-widrow", goal=0.1, max_iter=500),
    "SVM": SVC(kernel="rbf", gamma=2.0, C=10_000),
    "NB": dl.GaussianNBClassifier(constant="density"),
}
RATE_BASES = {"NB": BASES["NB"], "CART": dl.CARTClassifier.as_published()}
BASE_NAMES = {
    "MLP": "network", "SVM": "support vector machine", "NB": "naive Bayes", "CART": "CART",
}  # fmt: skip


def both(bases: Mapping[str, Any]) -> dict[str, Any]:
    """Return Learn++.NSE and a single classifier for each base learner."""
    return {
        f"{kind} {base}": learner
        for base, estimator in bases.items()
        for kind, learner in (
            ("ensemble", dl.LearnPPNSEClassifier.as_published(estimator)),
            ("single", dl.LearnPPNSEClassifier.as_published(estimator, 1, prune="age")),
        )
    }


def board(seed: int, n_steps: int = 700, rate: str = "constant") -> streams.Checkerboard:
    """Return the rotating checkerboard of Figures 2 and 3."""
    return streams.Checkerboard(n_steps=n_steps, rate=rate, random_state=seed)


def sea(seed: int, n_rows: int = 50_000) -> streams.SEA:
    """Return the SEA concepts of Figure 4."""
    return streams.SEA(n_rows=n_rows, noise=0.1, random_state=seed)


def ensembles(**params: Any) -> dict[str, Any]:
    """Return the ensembles of Figures 3 and 4 with changed parameters."""
    return {
        name: clone(learner).set_params(**params)
        for name, learner in LEARNERS.items()
        if name.startswith("ensemble")
    }


def drawn(
    item: str, kinds: Mapping[str, str], panels: Mapping[str, tuple[str, str]], columns: int = 1
) -> dict[str, Any]:
    """Return the figure of an item, by name.

    Parameters
    ----------
    item : str
        The name.
    kinds : mapping of str to str
        The names in the legend, by the first word of the names of learners.
    panels : mapping of str to (str, str)
        The stream and the base learner of each panel, by title.
    columns : int
        Number of panels per row.
    """
    learners = {
        title: (stream, tuple(f"{kind} {base}" for kind in kinds))
        for title, (stream, base) in panels.items()
    }
    names = {name: kinds[name.split()[0]] for _, some in learners.values() for name in some}
    return {item: partial(courses, over="time", panels=learners, columns=columns, names=names)}


LEARNERS = both(BASES)
CALLED = {"ensemble": "Learn++.NSE", "single": "newest member"}
figure = partial(Experiment.of_paper, "S0")
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
        figures=drawn(item, CALLED, {BASE_NAMES[base]: (stream, base) for base in BASES}),
        alternatives={"members trained on rows drawn by D": ensembles(use_distribution="resample")},
    ).with_quick(size, streams={stream: SHORT[stream]})
    for item, stream, size in (
        ("figure 3", "checkerboard", "60 of 700 steps"),
        ("figure 4", "SEA", "12,000 of 50,000 rows"),
    )
)

RATES = ("constant", "rising", "falling", "pulsing")
RATE_LEARNERS = both(RATE_BASES)
RATE_PANELS = {f"{rate}, {BASE_NAMES[base]}": (rate, base) for rate in RATES for base in RATE_BASES}
CHANGING_RATE = figure(
    "variant changing rate",
    streams={rate: partial(board, rate=rate) for rate in RATES},
    learners=RATE_LEARNERS,
    figures=drawn("variant changing rate", CALLED, RATE_PANELS, columns=2),
).with_quick(
    "100 of 700 steps", streams={rate: partial(board, n_steps=100, rate=rate) for rate in RATES}
)

WEIGHTINGS = {
    "ensemble": "Learn++.NSE, sliding mean",
    "printed": "Learn++.NSE, Equation 6 as printed",
    "single": "newest member",
}
PRINTED = {
    name.replace("ensemble", "printed"): learner
    for name, learner in ensembles(weighting="printed").items()
}
WEIGHTING_PANELS = {
    f"{stream}, {BASE_NAMES[base]}": (stream, base) for base in BASES for stream in STREAMS
}
EQUATION_6 = figure(
    "variant equation 6",
    streams=STREAMS,
    learners={**LEARNERS, **PRINTED},
    figures=drawn("variant equation 6", WEIGHTINGS, WEIGHTING_PANELS, columns=2),
).with_quick("60 of 700 steps, 12,000 of 50,000 rows", streams=SHORT)
