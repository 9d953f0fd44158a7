"""Checks of the claims about Learn++.MT and Learn++ on data sets with new classes.

The claims are in ``paper.json``, which names the check of each; `driftlearn.bench.papers.claim`
derives the verdicts.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np

from driftlearn.bench.papers.claim import Check, Evidence
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.evaluate.metrics import std

MT = "Learn++.MT"


def over_bases(check: Check) -> Check:
    """Extend a check of two learners to Learn++ and Learn++.MT with every base learner.

    The base learner is the suffix of the learner names.
    """

    @wraps(check)
    def check_all(
        outcome: Outcome, stream: str, *args: Any, bases: Iterable[str] | None = None
    ) -> Evidence:
        names = outcome.results[stream].names
        margins: dict[str, float] = {}
        figures = []
        for base in bases or [name.removeprefix(MT) for name in names if name.startswith(MT)]:
            parts, figure = check(outcome, stream, f"Learn++{base}", f"{MT}{base}", *args)
            margins |= {f"{part}{base}".strip(): margin for part, margin in parts.items()}
            figures.append(figure + (f" ({base.strip()})" if base else ""))
        return margins, "; ".join(figures)

    return check_all


def _difference(a: float, b: float, least: float = 0.0, form: str = ".0f") -> Evidence:
    return {"": a - b - least}, f"{a:{form}} against {b:{form}}"


@over_bases
def learns(
    outcome: Outcome, stream: str, old: str, new: str, test: str, classes: Sequence[int]
) -> Evidence:
    """Check whether the class recall of MT is more than 35 points above that of Learn++."""
    a, b = (outcome.recall(stream, name, test, *classes) for name in (new, old))
    return _difference(a, b, 35)


@over_bases
def learns_each(
    outcome: Outcome, stream: str, old: str, new: str, first: Mapping[str, Sequence[int]]
) -> Evidence:
    """Check whether MT has a higher recall of each class after its first data set."""
    found = {
        f"class {c}": outcome.recall(stream, new, test, c) - outcome.recall(stream, old, test, c)
        for test, classes in first.items()
        for c in classes
    }
    return found, ", ".join(f"{name} {gain:+.0f}" for name, gain in found.items())


@over_bases
def ahead(outcome: Outcome, stream: str, old: str, new: str, test: str, points: float) -> Evidence:
    """Check whether the overall accuracy of MT after a data set is higher by `points`."""
    a, b = (outcome.level(stream, name, test) for name in (new, old))
    return _difference(a, b, points, ".1f")


@over_bases
def same_start(outcome: Outcome, stream: str, old: str, new: str) -> Evidence:
    """Check whether both differ by at most 2 points after the first data set."""
    difference = outcome.level(stream, new, "D1") - outcome.level(stream, old, "D1")
    return {"": 2 - abs(difference)}, f"{difference:+.1f}"


@over_bases
def pays(
    outcome: Outcome, stream: str, old: str, new: str, test: str, lost: Sequence[int]
) -> Evidence:
    """Check whether MT has a lower recall of classes that are absent from the last data set."""
    a, b = (outcome.recall(stream, name, test, *lost) for name in (new, old))
    return {"": b - a}, f"{a:.0f} against {b:.0f}"


@over_bases
def steadier(outcome: Outcome, stream: str, old: str, new: str) -> Evidence:
    """Check whether the final overall accuracy of MT varies less over seeds."""
    a, b = (float(std(outcome.overall(stream, name)[:, -1])) for name in (new, old))
    near, far = (_deviation(outcome, stream, name) for name in (new, old))
    return {"": far - near}, f"{a:.1f} against {b:.1f}"


def _deviation(outcome: Outcome, stream: str, name: str) -> float:
    """Return the distance of the final accuracy from the median of all seeds (Brown-Forsythe)."""
    centre = np.median((outcome.all_seeds or outcome).overall(stream, name)[:, -1])
    return float(np.abs(outcome.overall(stream, name)[:, -1] - centre).mean())


@over_bases
def between(
    outcome: Outcome, stream: str, old: str, new: str, test: str, *bounds: Sequence[float]
) -> Evidence:
    """Check whether the overall accuracies of Learn++ and MT after a data set are within bounds."""
    values = [outcome.level(stream, name, test) for name in (old, new)]
    margins = {
        f"{name} {end}": sign * (value - bound)
        for name, value, ends in zip(("Learn++", "MT"), values, bounds)
        for end, sign, bound in zip(("not below", "not above"), (1, -1), ends)
    }
    return margins, f"{values[0]:.1f} and {values[1]:.1f}"


@over_bases
def bounded(
    outcome: Outcome, stream: str, old: str, new: str,
    test: str, classes: Sequence[int], least: float, most: float,
) -> Evidence:  # fmt: skip
    """Check that class recall is at least `least` with Learn++.MT, at most `most` with Learn++."""
    a, b = (outcome.recall(stream, name, test, *classes) for name in (new, old))
    return {"MT": a - least, "Learn++": most - b}, f"{a:.0f} and {b:.0f}"


@over_bases
def learns_later(outcome: Outcome, stream: str, old: str, new: str) -> Evidence:
    """Check whether the recall of Learn++ increases after a second data set with the digits."""
    a, b = (outcome.recall(stream, old, test, 3, 8) for test in ("D3", "D2"))
    return _difference(a, b)


@over_bases
def grows(outcome: Outcome, stream: str, old: str, new: str) -> Evidence:
    """Check whether the overall accuracy of both increases with every data set."""
    margins: dict[str, float] = {}
    figures = []
    for name in (old, new):
        levels = [outcome.level(stream, name, test) for test in ("D1", "D2", "D3")]
        margins |= {f"{name} at D2": levels[1] - levels[0], f"{name} at D3": levels[2] - levels[1]}
        figures.append(f"{name} " + ", ".join(f"{level:.1f}" for level in levels))
    return margins, "; ".join(figures)


@over_bases
def fewer(outcome: Outcome, stream: str, old: str, new: str) -> Evidence:
    """Check whether MT has fewer members."""
    a, b = (outcome.results[stream].scores(name, "members")[:, -1].mean() for name in (new, old))
    return {"members": float(b - a)}, f"{a:.1f} against {b:.1f}"
