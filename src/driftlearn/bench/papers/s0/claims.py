"""What the paper says of an ensemble and its newest member over time, as claims."""

from collections.abc import Callable

import numpy as np

from driftlearn.bench.papers.claim import Claim, Judged, full_only, ours, stated
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.s0.streams_and_learners import BASES


def both(outcome: Outcome, stream: str, base: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the accuracy over time of ensemble and single, in percent, the mean over seeds."""
    ensemble, single = (
        100 * outcome.results[stream].scores(f"{kind} {base}").mean(axis=0)
        for kind in ("ensemble", "single")
    )
    return ensemble, single


def claim(text: str, stream: str, judge: Callable[[np.ndarray, np.ndarray], Judged]) -> Claim:
    """Return a claim about the two curves; it holds if it does for every base learner."""

    def judge_all(outcome: Outcome) -> Judged:
        answers = {base: judge(*both(outcome, stream, base)) for base in BASES}
        figure = "; ".join(f"{base} {text}" for base, (_, text) in answers.items())
        margins = {
            f"{base} {part}".strip(): margin
            for base, (parts, _) in answers.items()
            for part, margin in parts.items()
        }
        return margins, figure

    return Claim(text, judge_all, (stream,))


def at_least_single(ensemble: np.ndarray, single: np.ndarray) -> Judged:
    """Judge whether the ensemble is as good as the single, on average and at most steps."""
    share = float(np.mean(ensemble[5:] >= single[5:] - 1.0))
    a, b = float(ensemble.mean()), float(single.mean())
    text = f"{a:.2f} against {b:.2f}, share of steps {share:.2f}"
    return {"on average": a - b, "share of steps": share - 0.95}, text


def better(ensemble: np.ndarray, single: np.ndarray) -> Judged:
    """Judge whether the ensemble is better on average."""
    a, b = float(ensemble.mean()), float(single.mean())
    return {"": a - b}, f"{a:.2f} against {b:.2f}"


def rises_after_half(ensemble: np.ndarray, single: np.ndarray) -> Judged:
    """Judge whether the ensemble, not the single, rises when the board repeats itself."""

    def rise(values: np.ndarray) -> float:
        quarter = len(values) // 4
        third, second = values[2 * quarter : 3 * quarter], values[quarter : 2 * quarter]
        return float(third.mean() - second.mean())

    a, b = rise(ensemble), rise(single)
    return {"rise": a, "more than the single": a - b}, f"{a:+.2f} against {b:+.2f}"


def peaks_at_right_angles(*curves: np.ndarray) -> Judged:
    """Judge whether accuracy near three right angles exceeds that a sixteenth of a turn away."""
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


def above_but_for_dips(ensemble: np.ndarray, single: np.ndarray) -> Judged:
    """Judge whether the ensemble is above the single outside ten chunks after each change."""
    quarter = len(ensemble) // 4
    settled = np.arange(len(ensemble)) % quarter >= 10
    share = float(np.mean(ensemble[settled] >= single[settled]))
    a, b = float(ensemble.mean()), float(single.mean())
    text = f"{a:.2f} against {b:.2f}, share of steps {share:.2f}"
    return {"on average": a - b, "share of steps": share - 0.9}, text


def rises_within(ensemble: np.ndarray, single: np.ndarray) -> Judged:
    """Judge whether the ensemble, more than the single, gains within a concept."""

    def gain(values: np.ndarray) -> float:
        parts = values[: len(values) // 4 * 4].reshape(4, -1)
        fifth = max(1, parts.shape[1] // 5)
        return float((parts[:, -fifth:].mean(axis=1) - parts[:, :fifth].mean(axis=1)).mean())

    a, b = gain(ensemble), gain(single)
    return {"gain": a, "more than the single": a - b}, f"{a:+.2f} against {b:+.2f}"


def dips_and_recovers(ensemble: np.ndarray, single: np.ndarray) -> Judged:
    """Judge whether the ensemble falls at a change and is back above the single in ten chunks."""
    quarter = len(ensemble) // 4
    chunks = []
    for change in (quarter, 2 * quarter, 3 * quarter):
        after = ensemble[change : change + quarter] >= single[change : change + quarter]
        chunks.append(int(after.argmax()) if after.any() else quarter)
    dips = [ensemble[c - 5 : c].mean() - ensemble[c : c + 2].mean()
            for c in (quarter, 2 * quarter, 3 * quarter)]  # fmt: skip
    text = f"falls by {', '.join(f'{dip:.1f}' for dip in dips)}, back after {chunks} chunks"
    return {"chunks to spare": 10.5 - max(chunks), "smallest fall": float(min(dips))}, text


def level_with_naive_bayes(outcome: Outcome) -> Judged:
    """Judge the level that Figure 4 shows for naive Bayes."""
    ensemble, single = (outcome.accuracy("SEA", f"{kind} NB") for kind in ("ensemble", "single"))
    margins = {"level": ensemble - 96.5, "above the single": ensemble - single}
    return margins, f"{ensemble:.2f}, single {single:.2f}"


# fmt: off
FIGURE_3 = full_only(
    *stated(
        "Section 3.1",
        "the ensemble performance is always as good as or better than the most recent single "
        "classifier",
        claim("(a) ensemble at least as good as the single", "checkerboard", at_least_single),
        cause="parameter unstated",
        settle="the noise of the features and the share of steps that 'always' allows",
    ),
    *stated(
        "Section 3.1",
        "ensemble performance increases sharply after t = 0.5, as class distributions then repeat",
        claim("(b) sharp rise after half a turn", "checkerboard", rises_after_half),
    ),
    *stated(
        "Section 3.1",
        "note the sharp performance increases at t = {0.25, 0.5, 0.75, 1}",
        claim("(c) peaks at right angles, both", "checkerboard", peaks_at_right_angles),
        cause="parameter unstated",
        settle="the noise of the features and the squares of the board, which the text leaves open",
    ),
)
FIGURE_4 = (
    *stated(
        "Section 1",
        "also outperforms a single classifier that has access to the most recent data, regardless "
        "the type of base classifier used",
        claim("ensemble better than the single on average", "SEA", better),
    ),
    *full_only(
        *stated(
            "Section 3.2",
            "Throughout the simulation, Learn++.NSE continually outperformed the single classifier",
            claim("above the single but for ten chunks after a change", "SEA", above_but_for_dips),
            cause="noise",
            settle="test chunks of more than 250 rows; the paper does not say how many it has",
        ),
        *stated(
            "Section 3.2",
            "the single classifier [...] retains a constant performance, whereas Learn++.NSE "
            "gradually improves its performance",
            claim("rises within concepts, more than the single", "SEA", rises_within),
        ),
        *stated(
            "Section 3.2",
            "detects the concept drift (a temporary dip in performance) at these locations, and "
            "it quickly recovers",
            claim("falls at each change, back in ten chunks", "SEA", dips_and_recovers),
        ),
        *ours(
            "band",
            Claim("naive Bayes at least 96.5, above the single", level_with_naive_bayes, ("SEA",)),
        ),
    ),
)
# fmt: on
