"""What the paper says of an ensemble and its newest member over time, as claims."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from driftlearn.papers import Claim, Outcome, full_only
from driftlearn.papers.s0.streams_and_learners import BASES


def both(outcome: Outcome, stream: str, base: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the accuracy over time of ensemble and single, in percent, the mean over seeds."""
    ensemble, single = (
        100 * outcome.results[stream].scores(f"{kind} {base}").mean(axis=0)
        for kind in ("ensemble", "single")
    )
    return ensemble, single


def claim(
    text: str, stream: str, judge: Callable[[np.ndarray, np.ndarray], tuple[bool, str]]
) -> Claim:
    """Return a claim about the two curves; it holds if it does for every base learner."""

    def judge_all(outcome: Outcome) -> tuple[bool, str]:
        answers = {base: judge(*both(outcome, stream, base)) for base in BASES}
        figure = "; ".join(f"{base} {text}" for base, (_, text) in answers.items())
        return all(holds for holds, _ in answers.values()), figure

    return Claim(text, judge_all, (stream,))


def at_least_single(ensemble: np.ndarray, single: np.ndarray) -> tuple[bool, str]:
    """Judge whether the ensemble is as good as the single, on average and at most steps."""
    share = float(np.mean(ensemble[5:] >= single[5:] - 1.0))
    text = f"{ensemble.mean():.2f} against {single.mean():.2f}, share of steps {share:.2f}"
    return bool(ensemble.mean() >= single.mean() and share >= 0.95), text


def better(ensemble: np.ndarray, single: np.ndarray) -> tuple[bool, str]:
    """Judge whether the ensemble is better on average."""
    a, b = ensemble.mean(), single.mean()
    return bool(a > b), f"{a:.2f} against {b:.2f}"


def rises_after_half(ensemble: np.ndarray, single: np.ndarray) -> tuple[bool, str]:
    """Judge whether the ensemble, not the single, rises when the board repeats itself."""

    def rise(values: np.ndarray) -> float:
        quarter = len(values) // 4
        third, second = values[2 * quarter : 3 * quarter], values[quarter : 2 * quarter]
        return float(third.mean() - second.mean())

    a, b = rise(ensemble), rise(single)
    return a > max(0.0, b), f"{a:+.2f} against {b:+.2f}"


def peaks_at_right_angles(*curves: np.ndarray) -> tuple[bool, str]:
    """Judge whether accuracy near a right angle exceeds that a sixteenth of a turn away."""
    counts = []
    for values in curves:
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


def above_but_for_dips(ensemble: np.ndarray, single: np.ndarray) -> tuple[bool, str]:
    """Judge whether the ensemble is above the single outside ten chunks after each change."""
    quarter = len(ensemble) // 4
    settled = np.arange(len(ensemble)) % quarter >= 10
    share = float(np.mean(ensemble[settled] >= single[settled]))
    text = f"{ensemble.mean():.2f} against {single.mean():.2f}, share of steps {share:.2f}"
    return bool(ensemble.mean() > single.mean() and share >= 0.9), text


def rises_within(ensemble: np.ndarray, single: np.ndarray) -> tuple[bool, str]:
    """Judge whether the ensemble, more than the single, gains within a concept."""

    def gain(values: np.ndarray) -> float:
        parts = values[: len(values) // 4 * 4].reshape(4, -1)
        fifth = max(1, parts.shape[1] // 5)
        return float((parts[:, -fifth:].mean(axis=1) - parts[:, :fifth].mean(axis=1)).mean())

    a, b = gain(ensemble), gain(single)
    return a > max(0.0, b), f"{a:+.2f} against {b:+.2f}"


def dips_and_recovers(ensemble: np.ndarray, single: np.ndarray) -> tuple[bool, str]:
    """Judge whether the ensemble falls at a change and is back above the single in ten chunks."""
    quarter = len(ensemble) // 4
    chunks = []
    for change in (quarter, 2 * quarter, 3 * quarter):
        after = ensemble[change : change + quarter] >= single[change : change + quarter]
        chunks.append(int(after.argmax()) if after.any() else quarter)
    dips = [ensemble[c - 5 : c].mean() - ensemble[c : c + 2].mean()
            for c in (quarter, 2 * quarter, 3 * quarter)]  # fmt: skip
    text = f"falls by {', '.join(f'{dip:.1f}' for dip in dips)}, back after {chunks} chunks"
    return bool(max(chunks) <= 10 and min(dips) > 0), text


def level_with_naive_bayes(outcome: Outcome) -> tuple[bool, str]:
    """Judge the level that Figure 4 shows for naive Bayes."""
    ensemble, single = (outcome.accuracy("SEA", f"{kind} NB") for kind in ("ensemble", "single"))
    return ensemble >= 96.5 and ensemble > single, f"{ensemble:.2f}, single {single:.2f}"


FIGURE_3 = full_only(
    claim("(a) ensemble at least as good as the single", "checkerboard", at_least_single),
    claim("(b) sharp rise after half a turn", "checkerboard", rises_after_half),
    claim("(c) peaks at right angles, both", "checkerboard", peaks_at_right_angles),
)
FIGURE_4 = (
    claim("ensemble better than the single on average", "SEA", better),
    *full_only(
        claim("above the single but for ten chunks after a change", "SEA", above_but_for_dips),
        claim("rises within concepts, more than the single", "SEA", rises_within),
        claim("falls at each change, back in ten chunks", "SEA", dips_and_recovers),
        Claim("naive Bayes at least 96.5, above the single", level_with_naive_bayes, ("SEA",)),
    ),
)
