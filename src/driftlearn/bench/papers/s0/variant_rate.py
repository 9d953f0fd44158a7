"""A variant of Figure 3, named as future work: a checkerboard whose speed itself changes."""

from collections.abc import Callable
from functools import partial

import numpy as np

from driftlearn import CARTClassifier, GaussianNBClassifier, LearnPPNSEClassifier
from driftlearn.bench.papers.claim import Claim, Judged, full_only, ours
from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.s0.claims import both
from driftlearn.streams._data_set_generators import Checkerboard

RATES = ("constant", "rising", "falling", "pulsing")
BASES = {"NB": GaussianNBClassifier(constant="density"), "CART": CARTClassifier()}
BASE_NAMES = {"NB": "naive Bayes", "CART": "CART"}
KINDS = {"ensemble": "Learn++.NSE", "single": "newest member"}
LEARNERS = {
    f"{kind} {base}": learner
    for base, estimator in BASES.items()
    for kind, learner in (
        ("ensemble", LearnPPNSEClassifier.as_published(estimator)),
        ("single", LearnPPNSEClassifier.as_published(estimator, 1, prune="age")),
    )
}


def board(rate: str, seed: int, n_steps: int = 700) -> Checkerboard:
    """Return a checkerboard that makes its turn at a rate."""
    return Checkerboard(n_steps=n_steps, rate=rate, random_state=seed)


def angles(outcome: Outcome, rate: str, n: int) -> np.ndarray:
    """Return the angle of the board at each of n steps."""
    stream = outcome.experiment.streams[rate](0)
    return np.array([stream.concept_at(k * stream.n_rows // n) for k in range(n)])


def claims(rate: str) -> tuple[Claim, ...]:
    """Return what is asked of a rate; a claim holds if it does over both base learners."""

    def claim(text: str, judge: Callable[[np.ndarray, np.ndarray], tuple[float, str]]) -> Claim:
        def judge_both(outcome: Outcome) -> Judged:
            margins, figures = {}, []
            for base in BASES:
                ensemble, single = both(outcome, rate, base)
                angle = angles(outcome, rate, len(ensemble))
                margins[base], figure = judge(ensemble - single, angle)
                figures.append(f"{base} {figure}")
            return margins, "; ".join(figures)

        return Claim(f"{rate}: {text}", judge_both, (rate,))

    better = claim("Learn++.NSE better than its newest member", lead)
    returns = claim("it leads by more in the second half of the turn", leads_when_it_returns)
    fastest = claim("better in the fastest quarter of the steps too", leads_when_fast)
    return full_only(better, returns, *([] if rate == "constant" else [fastest]))


def lead(gap: np.ndarray, angle: np.ndarray) -> tuple[float, str]:
    """Judge by how many points the ensemble is better than the single on average."""
    return float(gap.mean()), f"{gap.mean():+.2f}"


def leads_when_it_returns(gap: np.ndarray, angle: np.ndarray) -> tuple[float, str]:
    """Judge whether it leads by more when the board looks as it did before."""
    first, second = (float(gap[half].mean()) for half in (angle < np.pi, angle >= np.pi))
    return second - first, f"{first:+.2f}, then {second:+.2f}"


def leads_when_fast(gap: np.ndarray, angle: np.ndarray) -> tuple[float, str]:
    """Judge by how many points it is better while the board turns fastest."""
    speed = np.gradient(angle)
    value = float(gap[speed >= np.quantile(speed, 0.75)].mean())
    return value, f"{value:+.2f}"


CHANGING_RATE = Experiment(
    paper="S0",
    item="variant changing rate",
    title="future work: the checkerboard of Figure 3 at rates of change that themselves change",
    streams={rate: partial(board, rate) for rate in RATES},
    learners=LEARNERS,
    claims=ours("variant", *(claim for rate in RATES for claim in claims(rate))),
    notes={
        "rates": "all boards make one turn in 700 steps: evenly; from standing still to twice the "
        "mean speed; from that to standing still; between both four times"
    },
    figures={
        "variant changing rate": partial(
            courses,
            panels={
                f"{rate}, {BASE_NAMES[base]}": (rate, tuple(f"{kind} {base}" for kind in KINDS))
                for rate in RATES
                for base in BASES
            },
            columns=2,
            over="time",
            names={name: KINDS[name.split()[0]] for name in LEARNERS},
        )
    },
).with_quick(
    "100 of 700 steps", streams={rate: partial(board, rate, n_steps=100) for rate in RATES}
)
