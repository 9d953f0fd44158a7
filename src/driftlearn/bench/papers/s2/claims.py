"""What the paper says of Learn++.MT and Learn++ when data sets bring new classes, as claims."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np

from driftlearn.bench.papers.claim import Claim, Judged, Kind, full_only, ours
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.evaluate.metrics import std

Judge = Callable[[Outcome, str, str], Judged]
Origin = Callable[..., tuple[Claim, ...]]
MLP = ("",)


def claim(text: str, stream: str, judge: Judge, bases: tuple[str, ...] = MLP) -> Claim:
    """Return a claim about Learn++ and MT on a stream; it holds if it does for every base.

    A base learner is named by what the names of the learners end in.
    """

    def judge_all(outcome: Outcome) -> Judged:
        answers = [judge(outcome, f"Learn++{base}", f"Learn++.MT{base}") for base in bases]
        figures = [figure + (f" ({base.strip()})" if base else "")
                   for (_, figure), base in zip(answers, bases)]  # fmt: skip
        margins = {
            f"{part}{base}".strip(): margin
            for (parts, _), base in zip(answers, bases)
            for part, margin in parts.items()
        }
        return margins, "; ".join(figures)

    return Claim(f"{stream}: {text}", judge_all, (stream,))


def printed_claims(
    stream: str,
    first: Mapping[str, tuple[int, ...]],
    lost: tuple[int, ...] = (),
    gap: float = 4,
    bases: tuple[str, ...] = MLP,
    clear: tuple[str, ...] | None = None,
    origins: Mapping[str, Origin] = MappingProxyType({}),
    otherwise: Kind = "comparison",
) -> tuple[Claim, ...]:
    """Return claims about a stream, in the form that all tables of the paper have.

    Parameters
    ----------
    stream : str
        Its name.
    first : mapping of str to tuple of int
        The classes that are new in a data set.
    lost : tuple of int
        Classes, absent from the last data set, with which MT pays.
    gap : float
        How many points MT is ahead at the end.
    bases : tuple of str
        The base learners.
    clear : tuple of str, optional
        The data sets whose new classes MT knows better by more than 35 points; all.
    origins : mapping of str to callable
        For claims by their letters, as in "(b)" or "(a) D2", what says where they come from.
    otherwise : str
        The kind of the other claims, but for (d), which is true by construction.
    """
    last = list(first)[-1]

    def learns(test: str, outcome: Outcome, old: str, new: str) -> Judged:
        a, b = (outcome.recall(stream, name, test, *first[test]) for name in (new, old))
        return {"": a - b - 35}, f"{a:.0f} against {b:.0f}"

    def learns_each(outcome: Outcome, old: str, new: str) -> Judged:
        gains = {
            c: outcome.recall(stream, new, test, c) - outcome.recall(stream, old, test, c)
            for test, classes in first.items()
            for c in classes
        }
        figure = ", ".join(f"class {c} {gain:+.0f}" for c, gain in gains.items())
        return {f"class {c}": gain for c, gain in gains.items()}, figure

    def ahead(outcome: Outcome, old: str, new: str) -> Judged:
        a, b = (outcome.level(stream, name, last) for name in (new, old))
        return {"": a - b - gap}, f"{a:.1f} against {b:.1f}"

    def same_start(outcome: Outcome, old: str, new: str) -> Judged:
        difference = outcome.level(stream, new, "D1") - outcome.level(stream, old, "D1")
        return {"": 2 - abs(difference)}, f"{difference:+.1f}"

    def pays(outcome: Outcome, old: str, new: str) -> Judged:
        a, b = (outcome.recall(stream, name, last, *lost) for name in (new, old))
        return {"": b - a}, f"{a:.0f} against {b:.0f}"

    def steadier(outcome: Outcome, old: str, new: str) -> Judged:
        a, b = (float(std(outcome.overall(stream, name)[:, -1])) for name in (new, old))
        near, far = (_deviation(outcome, stream, name) for name in (new, old))
        return {"": far - near}, f"{a:.1f} against {b:.1f}"

    make = partial(claim, stream=stream, bases=bases)
    found = {
        f"(a) {test}": full_only(
            make(
                f"(a) recall of {listed(new)} right after {test}: MT more than 35 points above "
                "Learn++",
                judge=partial(learns, test),
            )
        )
        for test, new in first.items()
        if clear is None or test in clear
    }
    found |= {
        "(b)": full_only(
            make(f"(b) overall after {last}: MT at least {gap} points above Learn++", judge=ahead)
        ),
        "(f)": full_only(make(f"(f) std of the overall after {last}: MT smaller", judge=steadier)),
        "(a)": (
            make("(a) every new class right after its first data set: MT better",
                 judge=learns_each),
        ),
        "(d)": (make("(d) overall after D1: both equal within 2 points", judge=same_start),),
    }  # fmt: skip
    if lost:
        text = f"(e) recall of {listed(lost)} after {last}: MT smaller"
        found["(e)"] = (make(text, judge=pays),)
    known: dict[str, Origin] = {"(d)": partial(ours, "vacuous"), **origins}
    return tuple(
        one
        for letter, claims in found.items()
        for one in known.get(letter, partial(ours, otherwise))(*claims)
    )


def between(stream: str, test: str, old: tuple[float, float], new: tuple[float, float]) -> Claim:
    """Say between which levels the overall of Learn++ and of MT lies after a data set."""

    def judge(outcome: Outcome, *names: str) -> Judged:
        values = [outcome.level(stream, name, test) for name in names]
        margins = {
            f"{name} {end}": sign * (value - bound)
            for name, value, bounds in zip(("Learn++", "MT"), values, (old, new))
            for end, sign, bound in zip(("not below", "not above"), (1, -1), bounds)
        }
        return margins, f"{values[0]:.1f} and {values[1]:.1f}"

    text = "overall after {}: Learn++ {} to {}, MT {} to {}"
    return claim(text.format(test, *old, *new), stream, judge)


def bounded(
    stream: str,
    test: str,
    classes: tuple[int, ...],
    least: float,
    most: float,
    bases: tuple[str, ...] = MLP,
) -> Claim:
    """Say how well at least MT, and at most Learn++, knows some classes after a data set."""

    def judge(outcome: Outcome, *names: str) -> Judged:
        old, new = (outcome.recall(stream, name, test, *classes) for name in names)
        return {"MT": new - least, "Learn++": most - old}, f"{new:.0f} and {old:.0f}"

    text = f"recall of {listed(classes)} after {test}: MT at least {least}, Learn++ at most {most}"
    return claim(text, stream, judge, bases)


def learns_later(outcome: Outcome, old: str, new: str) -> Judged:
    """Judge whether Learn++ knows digits better once it has been trained with them twice."""
    a, b = (outcome.recall("OCR", old, test, 3, 8) for test in ("D3", "D2"))
    return {"": a - b}, f"{a:.0f} against {b:.0f}"


def grows(outcome: Outcome, old: str, new: str) -> Judged:
    """Judge whether the overall of both rises with every data set."""
    margins: dict[str, float] = {}
    figures = []
    for name in (old, new):
        levels = [outcome.level("OCR", name, test) for test in ("D1", "D2", "D3")]
        margins |= {f"{name} at D2": levels[1] - levels[0], f"{name} at D3": levels[2] - levels[1]}
        figures.append(f"{name} " + ", ".join(f"{level:.1f}" for level in levels))
    return margins, "; ".join(figures)


def fewer(outcome: Outcome, old: str, new: str) -> Judged:
    """Judge whether MT keeps fewer members."""
    a, b = (outcome.results["wine"].scores(name, "members")[:, -1].mean() for name in (new, old))
    return {"members": float(b - a)}, f"{a:.1f} against {b:.1f}"


def _deviation(outcome: Outcome, stream: str, name: str) -> float:
    """Return how far the last overall is from the median of all seeds (Brown and Forsythe)."""
    centre = np.median((outcome.whole or outcome).overall(stream, name)[:, -1])
    return float(np.abs(outcome.overall(stream, name)[:, -1] - centre).mean())


def listed(classes: tuple[int, ...]) -> str:
    """Return classes as words.

    Examples
    --------
    >>> listed((4, 9))
    'classes 4, 9'
    """
    return ("class " if len(classes) == 1 else "classes ") + ", ".join(map(str, classes))
