"""The papers' experiments as data: streams, learners, protocol, and the numbers they print.

Examples
--------
>>> from driftlearn.papers import find
>>> experiment = find("S1", "table III")
>>> experiment.numbers["SEA200A"]["DTEL"]
94.77
"""

from driftlearn.papers._experiment import Claim, Experiment, Outcome, published
from driftlearn.papers.s0 import FIGURES_3_4
from driftlearn.papers.s1 import TABLE_III, TABLE_V

EXPERIMENTS = (FIGURES_3_4, TABLE_III, TABLE_V)


def find(paper: str, item: str | None = None) -> Experiment:
    """Return the experiment of a paper, by "table III" or "figure 3"; the first if not named.

    Raises
    ------
    ValueError
        With what there is, if there is no such experiment.
    """
    there = [e for e in EXPERIMENTS if e.paper == paper]
    if not there:
        papers = ", ".join(dict.fromkeys(e.paper for e in EXPERIMENTS))
        raise ValueError(f"there is no paper {paper!r}; there are {papers}")
    if item is None:
        return there[0]
    for experiment in there:
        kind, _, numbers = experiment.item.partition(" ")
        wanted_kind, _, number = item.partition(" ")
        if kind.rstrip("s") == wanted_kind and number in numbers.replace(",", "").split():
            return experiment
    items = ", ".join(experiment.item for experiment in there)
    raise ValueError(f"{paper} has no {item!r} here; it has {items}")


__all__ = ["Claim", "EXPERIMENTS", "Experiment", "Outcome", "find", "published"]
