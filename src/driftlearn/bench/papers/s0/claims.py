"""Checks of the claims about an ensemble and a single classifier (its newest member) over time.

The claims are in ``paper.json``, which names the check of each; `driftlearn.bench.papers.claim`
derives the verdicts.
"""

from collections.abc import Callable

import numpy as np

from driftlearn.bench.papers.claim import Evidence, joined
from driftlearn.bench.papers.outcome import Outcome


def over_bases(
    outcome: Outcome,
    stream: str,
    check: Callable[[np.ndarray, np.ndarray], Evidence],
    kinds: tuple[str, str] = ("ensemble", "single"),
) -> Evidence:
    """Check the mean accuracy curves of ensemble and single classifier for every base learner."""
    result = outcome.results[stream]
    return joined(
        {
            name.removeprefix("ensemble "): check(
                *(100 * result.scores(name.replace("ensemble", kind)).mean(axis=0)
                  for kind in kinds)
            )
            for name in outcome.experiment.learners
            if name.startswith("ensemble ")
        }
    )  # fmt: skip


def while_turning(
    outcome: Outcome, stream: str, check: Callable[[np.ndarray, np.ndarray], Evidence]
) -> Evidence:
    """Check the lead of the ensemble and the angle of the board at each step."""
    source = outcome.experiment.streams[stream](0)

    def check_lead(ensemble: np.ndarray, single: np.ndarray) -> Evidence:
        n = len(ensemble)
        angle = np.array([source.concept_at(k * source.n_rows // n) for k in range(n)])
        return check(ensemble - single, angle)

    return over_bases(outcome, stream, check_lead)


def at_least_single(ensemble: np.ndarray, single: np.ndarray) -> Evidence:
    """Check whether the ensemble is as accurate as the single classifier, or better."""
    share = float(np.mean(ensemble[5:] >= single[5:] - 1.0))
    return _on_average_and_at_steps(ensemble, single, share, 0.95)


def above_but_for_dips(ensemble: np.ndarray, single: np.ndarray) -> Evidence:
    """Check whether the ensemble is more accurate, except in ten chunks after each change."""
    settled = np.arange(len(ensemble)) % (len(ensemble) // 4) >= 10
    share = float(np.mean(ensemble[settled] >= single[settled]))
    return _on_average_and_at_steps(ensemble, single, share, 0.9)


def _on_average_and_at_steps(
    ensemble: np.ndarray, single: np.ndarray, share: float, least: float
) -> Evidence:
    parts, text = better(ensemble, single)
    return {
        "on average": parts[""],
        "share of steps": share - least,
    }, f"{text}, share of steps {share:.2f}"


def better(ensemble: np.ndarray, single: np.ndarray) -> Evidence:
    """Check whether the ensemble is more accurate on average."""
    a, b = float(ensemble.mean()), float(single.mean())
    return {"": a - b}, f"{a:.2f} against {b:.2f}"


def rises_after_half(ensemble: np.ndarray, single: np.ndarray) -> Evidence:
    """Check whether the ensemble improves, by more than the single classifier, on repetition."""

    def rise(values: np.ndarray) -> float:
        quarter = len(values) // 4
        third, second = values[2 * quarter : 3 * quarter], values[quarter : 2 * quarter]
        return float(third.mean() - second.mean())

    a, b = rise(ensemble), rise(single)
    return {"rise": a, "more than the single": a - b}, f"{a:+.2f} against {b:+.2f}"


def gains_more(ensemble: np.ndarray, other: np.ndarray) -> Evidence:
    """Check whether the ensemble gains more than `other` when the board repeats itself."""
    parts, text = rises_after_half(ensemble, other)
    return {"": parts["more than the single"]}, text


def peaks_at_right_angles(*curves: np.ndarray) -> Evidence:
    """Check whether accuracy has a peak at three or more of four right angles of the board."""
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
    margins = dict(zip(("ensemble", "single"), (count - 2.5 for count in counts)))
    return margins, f"{counts[0]} and {counts[1]} of 4 angles"


def rises_within(ensemble: np.ndarray, single: np.ndarray) -> Evidence:
    """Check whether the ensemble improves within a concept, by more than the single classifier."""

    def gain(values: np.ndarray) -> float:
        parts = values[: len(values) // 4 * 4].reshape(4, -1)
        fifth = max(1, parts.shape[1] // 5)
        return float((parts[:, -fifth:].mean(axis=1) - parts[:, :fifth].mean(axis=1)).mean())

    a, b = gain(ensemble), gain(single)
    return {"gain": a, "more than the single": a - b}, f"{a:+.2f} against {b:+.2f}"


def dips_and_recovers(ensemble: np.ndarray, single: np.ndarray) -> Evidence:
    """Check whether the ensemble drops at a change and regains its lead within ten chunks."""
    quarter = len(ensemble) // 4
    chunks, dips = [], []
    for change in (quarter, 2 * quarter, 3 * quarter):
        after = ensemble[change : change + quarter] >= single[change : change + quarter]
        chunks.append(int(after.argmax()) if after.any() else quarter)
        dips.append(ensemble[change - 5 : change].mean() - ensemble[change : change + 2].mean())
    text = f"falls by {', '.join(f'{dip:.1f}' for dip in dips)}, back after {chunks} chunks"
    return {"chunks to spare": 10.5 - max(chunks), "smallest fall": float(min(dips))}, text


def level_with_naive_bayes(outcome: Outcome, stream: str) -> Evidence:
    """Check whether naive Bayes reaches the accuracy in Figure 4."""
    ensemble, single = (outcome.accuracy(stream, f"{kind} NB") for kind in ("ensemble", "single"))
    margins = {"level": ensemble - 96.5, "above the single": ensemble - single}
    return margins, f"{ensemble:.2f}, single {single:.2f}"


def lead(gap: np.ndarray, angle: np.ndarray) -> Evidence:
    """Check the mean lead of the ensemble over the single classifier, in points."""
    return {"": float(gap.mean())}, f"{gap.mean():+.2f}"


def leads_when_it_returns(gap: np.ndarray, angle: np.ndarray) -> Evidence:
    """Check whether the lead is larger when the board repeats itself."""
    first, second = (float(gap[half].mean()) for half in (angle < np.pi, angle >= np.pi))
    return {"": second - first}, f"{first:+.2f}, then {second:+.2f}"


def leads_when_fast(gap: np.ndarray, angle: np.ndarray) -> Evidence:
    """Check the mean lead while the board rotates fastest."""
    speed = np.gradient(angle)
    return lead(gap[speed >= np.quantile(speed, 0.75)], angle)
