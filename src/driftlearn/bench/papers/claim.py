"""Claims of papers, and verdicts on them from the results of all seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import stdtrit

if TYPE_CHECKING:
    from driftlearn.bench.papers.outcome import Outcome

Kind = Literal["paper", "band", "variant", "duplicate", "comparison", "vacuous"]
Decision = Literal["holds", "undecided", "does not hold"]
#: The margin of each part of a claim, positive if the part is met, and a text with the figures.
Evidence = tuple[Mapping[str, float], str]
Check = Callable[..., Evidence]

#: Kinds of claims; only claims of the first kind are counted.
KINDS: dict[Kind, str] = {
    "paper": "what the paper states",
    "band": "tolerance bands of ours around published numbers",
    "variant": "variants of ours",
    "duplicate": "statements that another claim already covers",
    "comparison": "comparisons that the paper does not make",
    "vacuous": "true by construction",
}
DECISIONS: tuple[Decision, ...] = ("holds", "undecided", "does not hold")
LEVEL = 0.05
#: With this many values, all on the same side, the sign test is significant at `LEVEL`.
ENOUGH_ALIKE = 6


@dataclass(frozen=True)
class Claim:
    """Statement about an outcome, with the function that checks it and its origin.

    Attributes
    ----------
    text : str
        The claim.
    check : callable
        Function of an `Outcome` that returns the margin of each part of the claim, which is
        positive if the part holds, and the measured values as a string. It is called once per seed
        for the verdict and once with all seeds for the values.
    needs : tuple of str
        Streams that are required to check the claim; empty if all are required.
    full_only : bool
        Whether the claim requires the full size; its verdict in a reduced version is then not
        counted.
    kind : str
        One of `KINDS`.
    quote, where : str
        The sentence in the paper, and its section, table or figure.
    cause, settle : str
        Likely cause if the claim does not hold, and an experiment that would settle the question.
    """

    text: str
    check: Callable[[Outcome], Evidence]
    needs: tuple[str, ...] = ()
    full_only: bool = False
    kind: Kind | Literal[""] = ""
    quote: str = ""
    where: str = ""
    cause: str = ""
    settle: str = ""

    @property
    def sentence(self) -> str:
        """The sentence in the paper with its place, or an empty string."""
        return f'"{self.quote}" ({self.where})' if self.quote else ""


def claims_of(
    statements: Iterable[Mapping[str, Any]],
    checks: ModuleType,
    streams: Iterable[str],
    values: Mapping[str, Any],
) -> Iterator[Claim]:
    """Yield the claims of an experiment from the statements in the JSON file of its paper.

    A statement contains the fields of `Claim` that its claims share. A claim contains a text and a
    check, which is the name of a function with its arguments. The function is called with the
    outcome, with the stream or tuple of streams if the claim is about streams, and with these
    arguments.

    Parameters
    ----------
    statements : iterable of mapping
        The statements.
    checks : module
        Module of the check functions.
    streams : iterable of str
        The streams of the experiment; a list of patterns in "on" of a claim selects from them.
    values : mapping of str to object
        Values for the fields in texts and for arguments that start with "$". Arguments that are not
        in `values` are attributes of `checks`.
    """
    for statement in statements:
        origin: dict[str, Any] = {"kind": "paper", **statement}
        for entry in origin.pop("claims"):
            needs = on = entry.get("on", ())
            if isinstance(on, str):
                needs = (on,)
            elif on:
                needs = on = tuple(s for s in streams if any(fnmatchcase(s, p) for p in on))
            name, *args = (
                values.get(arg[1:]) or getattr(checks, arg[1:]) if str(arg)[:1] == "$" else arg
                for arg in entry["check"]
            )
            check = _bound(getattr(checks, name), *([on] if on else []), *args,
                           **entry.get("options", {}))  # fmt: skip
            yield Claim(entry["claim"].format(**values), check, needs, **origin)


def _bound(check: Check, *args: Any, **options: Any) -> Check:
    return lambda outcome: check(outcome, *args, **options)


def within(name: str, difference: float, most: float) -> dict[str, float]:
    """Return the margins of the claim that the absolute difference is at most `most`."""
    return {f"{name} not above": most - difference, f"{name} not below": most + difference}


def all_within(found: Mapping[str, float], most: float) -> Evidence:
    """Check whether all absolute differences are at most `most`."""
    parts = [within(name, difference, most) for name, difference in found.items()]
    margins = {name: margin for part in parts for name, margin in part.items()}
    return margins, listed(found, "+.2f")


def joined(checked: Mapping[str, Evidence], separator: str = " ") -> Evidence:
    """Join the results of several checks, given by name, as parts of one claim."""
    margins = {
        f"{name} {part}".strip(): margin
        for name, (parts, _) in checked.items()
        for part, margin in parts.items()
    }
    return margins, "; ".join(f"{name}{separator}{text}" for name, (_, text) in checked.items())


def listed(values: Mapping[str, float], form: str = ".2f") -> str:
    """Format named values as a string.

    Examples
    --------
    >>> listed({"DTEL": 94.8, "TIX": 87.77})
    'DTEL 94.80, TIX 87.77'
    """
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())


def gaps(found: Mapping[str, float], slack: float = 0.0) -> Evidence:
    """Check whether all differences are positive, with a tolerance of `slack`."""
    return {name: gap + slack for name, gap in found.items()}, listed(found, "+.2f")


def on_each(check: Check) -> Check:
    """Extend a check for one stream to several streams."""

    @wraps(check)
    def check_all(outcome: Outcome, streams: Iterable[str], *args: Any) -> Evidence:
        return joined({stream: check(outcome, stream, *args) for stream in streams}, ": ")

    return check_all


@dataclass(frozen=True)
class Verdict:
    """Verdict on a claim, with the margin of its least certain part.

    Attributes
    ----------
    decision : str
        One of `DECISIONS`.
    part : str
        The least certain part of the claim.
    margin, low, high : float
        Mean margin of this part over seeds, with the limits of the confidence interval.
    """

    decision: Decision
    part: str
    margin: float
    low: float
    high: float

    def __str__(self) -> str:
        ends = f" [{self.low:+.3g}, {self.high:+.3g}]" if np.isfinite(self.low) else ""
        return f"{self.part} {self.margin:+.3g}{ends}".strip()


def decide(margins: Mapping[str, np.ndarray], identical: bool = False) -> Verdict:
    """Return the verdict on a claim from the margins of its parts for every seed.

    The claim holds if the 95 % confidence interval (Student's t over seeds) of every part lies
    above 0. It does not hold if the interval of some part, with Bonferroni correction for the
    number of parts, lies below 0. Otherwise, or with a single seed, the claim is undecided.

    Parameters
    ----------
    margins : mapping of str to ndarray of shape (seeds,)
        The margins of each part.
    identical : bool
        Whether the runs of all seeds are equal, i.e. the results are deterministic.

    Examples
    --------
    >>> str(decide({"a": np.array([0.5, 0.6, 0.7])}).decision)
    'holds'
    >>> decide({"a": np.array([0.5, -0.6, 0.7])}).decision
    'undecided'
    """
    values = np.array(list(margins.values()), dtype=float)
    decision: Decision = "holds"
    low, high = _interval(values, LEVEL, identical)
    if not (low > 0).all():
        low, high = _interval(values, LEVEL / len(values), identical)
        decision = "does not hold" if (high <= 0).any() else "undecided"
    means = values.mean(axis=1)
    part = int(np.lexsort((means, high if decision == "does not hold" else low))[0])
    found = (float(ends[part]) for ends in (means, low, high))
    return Verdict(decision, list(margins)[part], *found)


def _interval(values: np.ndarray, level: float, identical: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of the confidence intervals of the row means."""
    n = values.shape[1]
    half = np.full(len(values), np.inf)
    if n > 1:
        half = stdtrit(n - 1, 1 - level / 2) * values.std(axis=1, ddof=1) / np.sqrt(n)
        if not identical and n < ENOUGH_ALIKE:
            half[half == 0] = np.inf
    means = values.mean(axis=1)
    return means - half, means + half
