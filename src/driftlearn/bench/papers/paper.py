"""The papers: authors, experiments, origins of settings and published numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftlearn.bench.papers.experiment import Experiment


@dataclass(frozen=True)
class Paper:
    """A paper and its experiments, from the file ``paper.json`` in its folder.

    Attributes
    ----------
    short : str
        Name in commands and file names.
    people : str
        The authors.
    year : int
        Year of publication.
    method : str
        The proposed method.
    title, venue : str
        Title, and conference or journal.
    items : mapping of str to mapping
        For each experiment, such as "table III": the module and the name of its `Experiment` in the
        folder of the paper, which is imported on first use, and its title, notes and claims.
    settings : sequence of sequence of str
        The fields of every `driftlearn.bench.papers.setting.Setting`.
    doi : str
        The DOI, if known.

    Examples
    --------
    >>> str(PAPERS["S3"])
    'Grbovic and Vucetic 2011 (IBoost)'
    """

    short: str
    people: str
    year: int
    method: str
    title: str
    venue: str
    items: Mapping[str, Mapping[str, Any]]
    settings: Sequence[Sequence[Any]]
    doi: str = ""

    def __str__(self) -> str:
        return f"{self.people} {self.year} ({self.method})"


def read_data(name: str) -> Any:
    """Return the content of a JSON file of this package."""
    return json.loads((files("driftlearn.bench.papers") / name).read_text("utf-8"))


PAPERS = {
    short: Paper(short, **read_data(f"{short.lower()}/paper.json"))
    for short in ("S0", "S1", "S2", "S3", "S4")
}


@cache
def published() -> dict[str, Any]:
    """Return the published numbers by paper and table.

    Examples
    --------
    >>> published()["S1"]["tables"]["III"]["rows"]["SEA200A"]["DTEL"]["mean"]
    94.77
    """
    return read_data("published.json")


def published_rows(paper: str, table: str) -> dict[str, dict[str, float]]:
    """Return the numbers of a published table by row and column."""
    content = published()[paper]["tables"][table]
    return {name: dict(zip(content["columns"], row)) for name, row in content["rows"].items()}


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
