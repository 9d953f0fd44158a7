"""The papers: who wrote them, where each experiment is, and the numbers that they print."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Paper:
    """A paper, and where its experiments are; none of them is made before it is asked for.

    Attributes
    ----------
    short : str
        Its name in commands and file names.
    people : str
        Who wrote it.
    year : int
        When it appeared.
    method : str
        What it proposes.
    title, venue : str
        What it is called, and where it appeared.
    items : mapping of str to str
        For each experiment, as in "table III", the module of the paper's folder and its name there.
    doi : str
        Where it is found, if known.

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
    items: Mapping[str, str]
    doi: str = ""

    def __str__(self) -> str:
        return f"{self.people} {self.year} ({self.method})"


# fmt: off
PAPERS = {paper.short: paper for paper in (
    Paper(
        "S0", "Karnick, Muhlbaier and Polikar", 2008, "Learn++.NSE",
        "Incremental Learning in Non-stationary Environments with Concept Drift using a Multiple "
        "Classifier Based Approach", "ICPR",
        {
            **{f"figure {k}": f"figures:FIGURE_{k}" for k in (2, 3, 4)},
            "variant changing rate": "variant_rate:CHANGING_RATE",
            "variant equation 6": "variant_equation_6:EQUATION_6",
        },
    ),
    Paper(
        "S1", "Sun, Tang, Zhu and Yao", 2018, "DTEL",
        "Concept Drift Adaptation by Exploiting Historical Knowledge",
        "IEEE Trans. Neural Networks and Learning Systems 29(10)",
        {
            "table III": "table_iii:TABLE_III", "table V": "table_v:TABLE_V",
            "table VI": "table_vi:TABLE_VI", "table VII": "table_vii:TABLE_VII",
            "figure 2": "table_iii:FIGURE_2", "figure 3": "table_v:FIGURE_3",
            "figure 4": "figure_4:FIGURE_4", "variant poker": "variant_poker:POKER",
            "variant diversity": "variant_diversity:DIVERSITY",
        },
        "10.1109/TNNLS.2017.2775225",
    ),
    Paper(
        "S2", "Muhlbaier, Topalis and Polikar", 2004, "Learn++.MT",
        "Learn++.MT: A New Approach to Incremental Learning", "MCS, LNCS 3077",
        {
            "tables 2 and 3": "tables:TABLES_2_3",
            "variant 5+5 of tables 2 and 3": "tables:FIVE_AND_FIVE",
            "tables 5 and 6": "tables:TABLES_5_6", "section 4": "tables:SECTION_4",
            "tables 8 and 9": "tables:TABLES_8_9",
        },
        "10.1007/978-3-540-25966-4_5",
    ),
    Paper(
        "S3", "Grbovic and Vucetic", 2011, "IBoost",
        "Tracking Concept Change with Incremental Boosting by Minimization of the Evolving "
        "Exponential Loss", "ECML PKDD, LNCS 6911",
        {
            "table 2": "table_2:TABLE_2", "table 3": "table_3:TABLE_3",
            "table 4": "table_4:TABLE_4", "figure 2": "table_2:FIGURE_2",
            "figure 3": "table_4:FIGURE_3", "figure 4": "table_4:FIGURE_4",
            "figure 5": "figures_5_and_6:FIGURE_5", "figure 6": "figures_5_and_6:FIGURE_6",
            "variant noise": "variants:NOISE", "variant classes": "variants:CLASSES",
            "variant covertype": "variants:COVERTYPE",
        },
        "10.1007/978-3-642-23780-5_43",
    ),
    Paper(
        "S4", "Ditzler, Muhlbaier and Polikar", 2010, "Learn++.UDNC",
        "Incremental Learning of New Classes in Unbalanced Datasets: Learn++.UDNC",
        "MCS, LNCS 5997",
        {
            "figure 3": "figure_3:FIGURE_3", "tables 2 and 3": "tables:TABLES_2_3",
            "table 5": "tables:TABLE_5", "table 6": "tables:TABLE_6",
            "section 4": "tables:FUTURE_WORK",
        },
        "10.1007/978-3-642-12127-2_4",
    ),
)}
# fmt: on


@cache
def published() -> dict[str, Any]:
    """Return the numbers that the papers print, by paper and table.

    Examples
    --------
    >>> published()["S1"]["tables"]["III"]["rows"]["SEA200A"]["DTEL"]["mean"]
    94.77
    """
    text = (files("driftlearn.bench.papers") / "published.json").read_text("utf-8")
    return json.loads(text)
