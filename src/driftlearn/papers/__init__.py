"""The papers' experiments as data: streams, learners, protocol, and the numbers they print.

Examples
--------
>>> from driftlearn.papers import find
>>> (experiment,) = find("S1", "table III")
>>> experiment.numbers["SEA200A"]["DTEL"]
94.77
"""

from driftlearn.papers import s0, s1, s2, s3, s4
from driftlearn.papers._experiment import Claim, Experiment, Outcome, published

EXPERIMENTS = (
    s0.FIGURES_3_4,
    s1.TABLE_III,
    s1.TABLE_V,
    s2.TABLES_2_3,
    s2.FIVE_AND_FIVE,
    s2.TABLES_5_6,
    s2.SECTION_4,
    s2.TABLES_8_9,
    s3.TABLE_2,
    s3.FIGURE_2,
    s3.TABLE_3,
    s3.TABLE_4,
    s3.FIGURES_3_4,
    s3.FIGURE_5,
    s3.FIGURE_6,
    s3.NOISE,
    s3.ROT,
    s3.COVERTYPE,
    s4.TABLES_2_3,
    s4.TABLE_5,
    s4.TABLE_6,
    s4.FUTURE_WORK,
)


def find(paper: str, item: str | None = None) -> list[Experiment]:
    """Return a paper's experiments: all, or the one of "table III" or of an entry's whole name.

    Raises
    ------
    ValueError
        With what there is, if there is no such experiment.
    """
    there = [e for e in EXPERIMENTS if e.paper == paper]
    if not there:
        papers = ", ".join(dict.fromkeys(e.paper for e in EXPERIMENTS))
        raise ValueError(f"there is no paper {paper!r}; there are {papers}")
    found = [e for e in there if item in (None, e.item) or _names(e.item, item)]
    if not found:
        items = ", ".join(experiment.item for experiment in there)
        raise ValueError(f"{paper} has no {item!r} here; it has {items}")
    return found


def _names(whole: str, item: str) -> bool:
    """Say whether "tables 2 and 3" has "table 3" in it."""
    kind, _, numbers = whole.partition(" ")
    wanted, _, number = item.partition(" ")
    return kind.rstrip("s") == wanted and number in numbers.replace(",", "").split()


__all__ = ["Claim", "EXPERIMENTS", "Experiment", "Outcome", "find", "published"]
