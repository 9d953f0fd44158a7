"""Items of the papers (tables, figures, sections) by name."""

from __future__ import annotations

from difflib import get_close_matches
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from driftlearn.bench.papers.paper import PAPERS, Paper

if TYPE_CHECKING:
    from driftlearn.bench.papers.experiment import Experiment


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
        hint = (
            f" Did you mean {' or '.join(repr(_with_roman_numeral(name)) for name in near)}?"
            if near
            else ""
        )
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
    folder = f"driftlearn.bench.papers.{known.short.lower()}"
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


def _with_roman_numeral(name: str) -> str:
    """Return a name with its Roman numeral in capitals, as in the papers."""
    kind, _, number = name.partition(" ")
    return f"{kind} {number.upper()}" if number and set(number) <= set("ivx") else name
