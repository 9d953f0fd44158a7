"""A claim, where it comes from, and the verdict on it from the results of every seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
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
Judged = tuple[Mapping[str, float], str]
Judge = Callable[..., Judged]

#: Kinds of claims; only claims of the first kind are counted.
KINDS: dict[Kind, str] = {
    "paper": "what the paper states",
    "band": "our bands around printed numbers",
    "variant": "variants of ours",
    "duplicate": "statements that are judged elsewhere already",
    "comparison": "comparisons that no sentence of the paper makes",
    "vacuous": "true by construction",
}
DECISIONS: tuple[Decision, ...] = ("holds", "undecided", "does not hold")
#: Likely causes if a statement does not hold here.
CAUSES = ("data lost", "parameter unstated", "baseline of ours better", "noise", "compiled here",
          "unknown")  # fmt: skip
LEVEL = 0.05
#: With this many values, all on the same side, the sign test is significant at `LEVEL`.
ENOUGH_ALIKE = 6


@dataclass(frozen=True)
class Claim:
    """A statement about an outcome, with its judge and its origin.

    Attributes
    ----------
    text : str
        The claim.
    judge : callable
        Given an `Outcome`, returns the margin of each part of the claim, positive if it is met, and
        the figures as text. It is called for each seed alone, and for the figures with all seeds.
    needs : tuple of str
        Streams without which the claim cannot be judged; empty if all are needed.
    full_only : bool
        Whether the claim needs the full size, so that its verdict in a reduced version does not
        count.
    kind : str
        One of `KINDS`.
    quote, where : str
        The paper's sentence, and its section, table or figure.
    cause, settle : str
        Likely cause if it does not hold, one of `CAUSES`, and what would settle it.
    """

    text: str
    judge: Callable[[Outcome], Judged]
    needs: tuple[str, ...] = ()
    full_only: bool = False
    kind: Kind | Literal[""] = ""
    quote: str = ""
    where: str = ""
    cause: str = ""
    settle: str = ""

    @property
    def sentence(self) -> str:
        """The paper's sentence with its place, if there is one."""
        return f'"{self.quote}" ({self.where})' if self.quote else ""

    def check(self) -> None:
        """Raise ValueError if the origin of the claim is missing or unknown."""
        if self.kind not in KINDS:
            raise ValueError(
                f"Claim {self.text!r} has no kind. Mark it with `stated` and the paper's sentence, "
                f"or with `ours` and one of {', '.join(list(KINDS)[1:])}."
            )
        if self.kind == "paper" and not (self.quote and self.where):
            raise ValueError(
                f"Claim {self.text!r} is stated by the paper, so it needs a quote and its place."
            )
        if self.cause and self.cause not in CAUSES:
            raise ValueError(
                f"The cause of claim {self.text!r} must be one of {', '.join(CAUSES)}. "
                f"Got {self.cause!r}."
            )


def full_only(*claims: Claim) -> tuple[Claim, ...]:
    """Return claims marked as needing the full size."""
    return tuple(replace(claim, full_only=True) for claim in claims)


def stated(
    where: str, quote: str, *claims: Claim, cause: str = "", settle: str = ""
) -> tuple[Claim, ...]:
    """Return claims marked as stated by a sentence of the paper.

    Parameters
    ----------
    where : str
        The section, table or figure with the sentence.
    quote : str
        The sentence, or the part of it that is judged.
    *claims : Claim
        The claims.
    cause, settle : str
        As in `Claim`.
    """
    return tuple(
        replace(claim, kind="paper", quote=quote, where=where, cause=cause, settle=settle)
        for claim in claims
    )


def ours(kind: Kind, *claims: Claim) -> tuple[Claim, ...]:
    """Return claims marked with a kind that is not counted."""
    return tuple(replace(claim, kind=kind) for claim in claims)


def claims_of(
    statements: Iterable[Mapping[str, Any]],
    judges: ModuleType,
    streams: Iterable[str],
    values: Mapping[str, Any],
) -> Iterator[Claim]:
    """Yield the claims of an experiment from the statements in its paper's file.

    A statement has the fields of `Claim` that its claims share. A claim has a text and a judge: the
    name of a function and its arguments, which follow the outcome and, for a claim about some
    streams, the stream or the tuple of streams.

    Parameters
    ----------
    statements : iterable of mapping
        The statements.
    judges : module
        Contains the judges.
    streams : iterable of str
        The streams of the experiment, selected by a list of patterns in a claim's "on".
    values : mapping of str to object
        Values for the fields in a text, and for arguments that start with "$"; other such arguments
        are attributes of `judges`.
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
                values.get(arg[1:]) or getattr(judges, arg[1:]) if str(arg)[:1] == "$" else arg
                for arg in entry["judge"]
            )
            judge = _bound(getattr(judges, name), *([on] if on else []), *args,
                           **entry.get("options", {}))  # fmt: skip
            yield Claim(entry["claim"].format(**values), judge, needs, **origin)


def _bound(judge: Judge, *args: Any, **options: Any) -> Judge:
    return lambda outcome: judge(outcome, *args, **options)


def within(name: str, difference: float, most: float) -> dict[str, float]:
    """Return the margins of the claim that the size of a difference is at most `most`."""
    return {f"{name} not above": most - difference, f"{name} not below": most + difference}


def joined(judged: Mapping[str, Judged], separator: str = " ") -> Judged:
    """Return what is judged of several things, by their names, as parts of one claim."""
    margins = {
        f"{name} {part}".strip(): margin
        for name, (parts, _) in judged.items()
        for part, margin in parts.items()
    }
    return margins, "; ".join(f"{name}{separator}{text}" for name, (_, text) in judged.items())


def listed(values: Mapping[str, float], form: str = ".2f") -> str:
    """Return values by their names as text.

    Examples
    --------
    >>> listed({"DTEL": 94.8, "TIX": 87.77})
    'DTEL 94.80, TIX 87.77'
    """
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())


def gaps(found: Mapping[str, float], slack: float = 0.0) -> Judged:
    """Judge whether all differences are positive, up to some slack."""
    return {name: gap + slack for name, gap in found.items()}, listed(found, "+.2f")


def on_each(judge: Judge) -> Judge:
    """Make the judge of a claim about one stream judge it on each of several."""

    @wraps(judge)
    def judge_all(outcome: Outcome, streams: Iterable[str], *args: Any) -> Judged:
        return joined({stream: judge(outcome, stream, *args) for stream in streams}, ": ")

    return judge_all


@dataclass(frozen=True)
class Verdict:
    """Decision on a claim, with the margin of its least certain part.

    Attributes
    ----------
    decision : str
        One of `DECISIONS`.
    part : str
        The least certain part of the claim.
    margin, low, high : float
        Its margin, the mean over seeds, with the ends of the confidence interval.
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
    """Return the verdict on a claim of several parts from the margins of every seed.

    The claim holds if the 95 % interval (Student's) over seeds of every part lies above 0. It does
    not hold if that of some part lies below 0, with Bonferroni's correction for their number.
    Otherwise, and with one seed, it is undecided.

    Parameters
    ----------
    margins : mapping of str to ndarray of shape (seeds,)
        The margins of each part.
    identical : bool
        Whether the runs of all seeds are equal, so that the results do not depend on chance.

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
    """Return the ends of the confidence intervals of the means of rows."""
    n = values.shape[1]
    half = np.full(len(values), np.inf)
    if n > 1:
        half = stdtrit(n - 1, 1 - level / 2) * values.std(axis=1, ddof=1) / np.sqrt(n)
        if not identical and n < ENOUGH_ALIKE:
            half[half == 0] = np.inf
    means = values.mean(axis=1)
    return means - half, means + half
