"""S0: Learn++.NSE against its newest member alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.svm import SVC

from driftlearn import GaussianNBClassifier, LearnPPNSEClassifier
from driftlearn.evaluate import holdout
from driftlearn.papers._experiment import Claim, Experiment, Outcome
from driftlearn.streams import SEA, Checkerboard

BASES: dict[str, Any] = {
    "NB": GaussianNBClassifier(),
    "SVM": SVC(kernel="rbf", gamma=2.0, C=10_000),
}
LEARNERS = {
    f"{kind} {base}": learner
    for base, estimator in BASES.items()
    for kind, learner in (
        ("ensemble", LearnPPNSEClassifier(estimator)),
        ("single", LearnPPNSEClassifier(estimator, 1, prune="age")),
    )
}


def board(seed: int, n_steps: int = 200) -> Checkerboard:
    """Return the rotating checkerboard of Fig. 3, in `n_steps` steps instead of 700."""
    return Checkerboard(n_steps=n_steps, random_state=seed)


def sea(seed: int) -> SEA:
    """Return the SEA concepts of Fig. 4."""
    return SEA(n_rows=50_000, noise=0.1, random_state=seed)


def curve(outcome: Outcome, stream: str, learner: str) -> np.ndarray:
    """Return a learner's accuracy over time in percent, the mean over seeds."""
    return 100 * outcome.results[stream].scores(learner).mean(axis=0)


def both(outcome: Outcome, base: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the curves of the ensemble and of the single classifier on the checkerboard."""
    return curve(outcome, "checkerboard", f"ensemble {base}"), curve(
        outcome, "checkerboard", f"single {base}"
    )


def for_each_base(
    judge: Callable[[Outcome, str], tuple[bool, str]], outcome: Outcome
) -> tuple[bool, str]:
    """Judge a claim for every base learner; it holds if it does for all."""
    answers = {base: judge(outcome, base) for base in BASES}
    figure = "; ".join(f"{base} {text}" for base, (_, text) in answers.items())
    return all(holds for holds, _ in answers.values()), figure


def at_least_single(outcome: Outcome, base: str) -> tuple[bool, str]:
    """(a) The ensemble is as good as the single classifier, on average and at most steps."""
    ensemble, single = both(outcome, base)
    share = float(np.mean(ensemble[5:] >= single[5:] - 1.0))
    text = f"{ensemble.mean():.2f} against {single.mean():.2f}, share of steps {share:.2f}"
    return bool(ensemble.mean() >= single.mean() and share >= 0.95), text


def rises_after_half(outcome: Outcome, base: str) -> tuple[bool, str]:
    """(b) The ensemble rises when the board repeats itself; the single classifier does not."""

    def rise(values: np.ndarray) -> float:
        quarter = len(values) // 4
        third, second = values[2 * quarter : 3 * quarter], values[quarter : 2 * quarter]
        return float(third.mean() - second.mean())

    ensemble, single = (rise(values) for values in both(outcome, base))
    return ensemble > max(0.0, single), f"{ensemble:+.2f} against {single:+.2f}"


def peaks_at_right_angles(outcome: Outcome, base: str) -> tuple[bool, str]:
    """(c) Accuracy near a right angle exceeds that a sixteenth of a turn before and after."""
    counts = []
    for values in both(outcome, base):
        n, peaks = len(values), 0
        for angle in (0.25, 0.5, 0.75, 1.0):
            at = round(angle * (n - 1))
            width, away = max(2, n // 100), n // 16
            here = values[max(0, at - width) : at + width + 1].mean()
            sides = [
                values[max(0, at + shift - width) : at + shift + width + 1]
                for shift in (-away, away)
                if at + shift + width < n
            ]
            peaks += all(here > side.mean() for side in sides)
        counts.append(peaks)
    return min(counts) >= 3, f"{counts[0]} and {counts[1]} of 4 angles"


def sea_with_naive_bayes(outcome: Outcome) -> tuple[bool, str]:
    """Judge the level that Fig. 4 shows for naive Bayes."""
    ensemble, single = (outcome.accuracy("SEA", f"{kind} NB") for kind in ("ensemble", "single"))
    return ensemble >= 96.5 and ensemble > single, f"{ensemble:.2f}, single {single:.2f}"


def checkerboard_claim(text: str, judge: Callable) -> Claim:
    """Return a claim about the checkerboard, for every base learner."""
    return Claim(text, lambda outcome: for_each_base(judge, outcome), ("checkerboard",))


FIGURES_3_4 = Experiment(
    paper="S0",
    item="figures 3 and 4",
    title="Learn++.NSE and its newest member on a rotating checkerboard and on SEA",
    streams={"checkerboard": board, "SEA": sea},
    learners=LEARNERS,
    protocol=holdout,
    claims=(
        checkerboard_claim("(a) ensemble at least as good as the single", at_least_single),
        checkerboard_claim("(b) sharp rise after half a turn", rises_after_half),
        checkerboard_claim("(c) peaks at right angles, both", peaks_at_right_angles),
        Claim(
            "SEA with naive Bayes at least 96.5, above the single", sea_with_naive_bayes, ("SEA",)
        ),
    ),
)
