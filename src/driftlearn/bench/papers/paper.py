"""The papers: authors, experiments, origins of settings and published numbers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


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
