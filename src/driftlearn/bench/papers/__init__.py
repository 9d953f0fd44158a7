"""The papers' experiments as data: streams, learners, protocol, and the numbers they print.

A paper has a folder: its streams and learners, what it claims, and its tables and figures. They are
imported when they are asked for, so that one table costs no other paper.

Examples
--------
>>> from driftlearn.bench.papers import PAPERS, find, items
>>> (experiment,) = find("S1", "table III")
>>> str(experiment)
'Sun, Tang, Zhu and Yao 2018 (DTEL), table III'
>>> experiment.numbers["SEA200A"]["DTEL"]
94.77
>>> items("S4")
['figure 3', 'tables 2 and 3', 'table 5', 'table 6', 'section 4']
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from driftlearn.bench.papers.paper import PAPERS, Paper, published

if TYPE_CHECKING:
    from driftlearn.bench.papers.claim import Claim, Judged, full_only, ours, stated, within
    from driftlearn.bench.papers.experiment import Experiment
    from driftlearn.bench.papers.outcome import Outcome
    from driftlearn.bench.papers.setting import Alternative, Setting

    EXPERIMENTS: tuple[Experiment, ...]

#: What is imported when it is first used, so that a wrong name is answered at once.
_WHERE = {
    **dict.fromkeys(("Claim", "Judged", "full_only", "ours", "stated", "within"), "claim"),
    **dict.fromkeys(("Alternative", "Setting"), "setting"),
    "Experiment": "experiment",
    "Outcome": "outcome",
}

if not TYPE_CHECKING:  # or every misspelt name would be some name of unknown type

    def __getattr__(name):
        """Load a name; make all experiments when they are asked for as `EXPERIMENTS`."""
        if name == "EXPERIMENTS":
            return tuple(experiment for paper in PAPERS for experiment in find(paper))
        if name in _WHERE:
            return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def items(paper: str, item: str | None = None) -> list[str]:
    """Return the names of a paper's experiments, as `find` takes them: all, or those of an item.

    Raises
    ------
    ValueError
        With the nearest right names, if there is no such paper or experiment.
    """
    there = _of(paper)
    if item is None:
        return list(there.items)
    wanted = " ".join(item.lower().split())
    found = [whole for whole in there.items if wanted in _names(whole)]
    if not found:
        near = get_close_matches(wanted, [n for whole in there.items for n in _names(whole)], n=3)
        hint = f"did you mean {' or '.join(repr(_spelt(name)) for name in near)}? " if near else ""
        raise ValueError(f"{paper} has no {item!r} here; {hint}It has {', '.join(there.items)}")
    return found


def find(paper: str, item: str | None = None) -> list[Experiment]:
    """Return a paper's experiments: all, or those of "table III", "Figure 3" or a whole name.

    Raises
    ------
    ValueError
        With the nearest right names, if there is no such paper or experiment.

    Examples
    --------
    >>> [experiment.item for experiment in find("s2", "Table 3")]
    ['tables 2 and 3']
    """
    return _made(_of(paper), items(paper, item))


def _of(paper: str) -> Paper:
    try:
        return PAPERS[paper.strip().upper()]
    except KeyError:
        there = ", ".join(PAPERS)
        raise ValueError(f"there is no paper {paper!r}; there are {there}") from None


def _made(paper: Paper, wanted: Iterable[str]) -> list[Experiment]:
    folder = f"{__name__}.{paper.short.lower()}"
    return [resolve_name(f"{folder}.{paper.items[item]['experiment']}") for item in wanted]


def _names(whole: str) -> list[str]:
    """Return how an item may be called, in small letters.

    Examples
    --------
    >>> _names("tables 2 and 3")
    ['tables 2 and 3', 'table 2', 'table 3']
    """
    kind, _, numbers = whole.lower().partition(" ")
    if kind not in ("tables", "figures"):
        return [whole.lower()]
    parts = numbers.replace(",", "").replace(" and ", " ").split()
    return [whole.lower(), *(f"{kind[:-1]} {number}" for number in parts)]


def _spelt(name: str) -> str:
    """Return a name with its Roman numeral in capitals, as the papers print it."""
    kind, _, number = name.partition(" ")
    return f"{kind} {number.upper()}" if number and set(number) <= set("ivx") else name


__all__ = ["Alternative", "Claim", "EXPERIMENTS", "Experiment", "Judged", "Outcome", "PAPERS",
           "Paper", "Setting", "find", "full_only", "items", "ours", "published", "stated",
           "within"]  # fmt: skip
