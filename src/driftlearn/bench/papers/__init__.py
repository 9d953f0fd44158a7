"""Experiments of the papers as data: streams, learners, protocols and published numbers.

The folder of a paper contains its streams and learners, its tables and figures, the functions that
check its claims, and ``paper.json`` with titles, notes, claims and settings. The folder is imported
on first use.

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

#: Modules of the names that are imported on first use. Listing the names lets unknown names fail at
#: once.
_WHERE = {
    **dict.fromkeys(("Claim", "Judged", "full_only", "ours", "stated", "within"), "claim"),
    **dict.fromkeys(("Alternative", "Setting"), "setting"),
    "Experiment": "experiment",
    "Outcome": "outcome",
}

if not TYPE_CHECKING:  # otherwise type checkers would accept any misspelled name

    def __getattr__(name):
        """Import a name on first use; `EXPERIMENTS` imports all papers."""
        if name == "EXPERIMENTS":
            return tuple(experiment for paper in PAPERS for experiment in find(paper))
        if name in _WHERE:
            return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def items(paper: str, item: str | None = None) -> list[str]:
    """Return the names of all experiments of a paper, or of one item, for use with `find`.

    Raises
    ------
    ValueError
        If the paper or experiment does not exist; the message suggests similar names.
    """
    known = _paper(paper).items
    if item is None:
        return list(known)
    wanted = " ".join(item.lower().split())
    found = [name for name in known if wanted in _names(name)]
    if not found:
        near = get_close_matches(wanted, [short for name in known for short in _names(name)], n=3)
        hint = f" Did you mean {' or '.join(repr(_spelt(name)) for name in near)}?" if near else ""
        raise ValueError(
            f"Unknown item {item!r} of {paper}.{hint} Available items: {', '.join(known)}."
        )
    return found


def find(paper: str, item: str | None = None) -> list[Experiment]:
    """Return all experiments of a paper, or those of an item such as "table III" or "Figure 3".

    Raises
    ------
    ValueError
        If the paper or experiment does not exist; the message suggests similar names.

    Examples
    --------
    >>> [experiment.item for experiment in find("s2", "Table 3")]
    ['tables 2 and 3']
    """
    known = _paper(paper)
    folder = f"{__name__}.{known.short.lower()}"
    names = items(paper, item)
    return [resolve_name(f"{folder}.{known.items[name]['experiment']}") for name in names]


def _paper(paper: str) -> Paper:
    try:
        return PAPERS[paper.strip().upper()]
    except KeyError:
        raise ValueError(f"Unknown paper {paper!r}. Available: {', '.join(PAPERS)}.") from None


def _names(item: str) -> list[str]:
    """Return the names of an item and its parts in lower case.

    Examples
    --------
    >>> _names("tables 2 and 3")
    ['tables 2 and 3', 'table 2', 'table 3']
    """
    kind, _, numbers = item.lower().partition(" ")
    if kind not in ("tables", "figures"):
        return [item.lower()]
    parts = numbers.replace(",", "").replace(" and ", " ").split()
    return [item.lower(), *(f"{kind[:-1]} {number}" for number in parts)]


def _spelt(name: str) -> str:
    """Return a name with its Roman numeral in capitals, as in the papers."""
    kind, _, number = name.partition(" ")
    return f"{kind} {number.upper()}" if number and set(number) <= set("ivx") else name


__all__ = ["Alternative", "Claim", "EXPERIMENTS", "Experiment", "Judged", "Outcome", "PAPERS",
           "Paper", "Setting", "find", "full_only", "items", "ours", "published", "stated",
           "within"]  # fmt: skip
