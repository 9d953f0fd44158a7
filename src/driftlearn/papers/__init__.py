"""The papers' experiments as data: streams, learners, protocol, and the numbers they print.

Examples
--------
>>> from driftlearn.papers import find, items
>>> (experiment,) = find("S1", "table III")
>>> experiment.numbers["SEA200A"]["DTEL"]
94.77
>>> items("S0")
['figure 2', 'figure 3', 'figure 4']
"""

from difflib import get_close_matches

from driftlearn.papers import s0, s1, s2, s3, s4
from driftlearn.papers._experiment import Claim, Experiment, Outcome, published

EXPERIMENTS = (
    s0.FIGURE_2,
    s0.FIGURE_3,
    s0.FIGURE_4,
    *s1.EXPERIMENTS,
    s2.TABLES_2_3,
    s2.FIVE_AND_FIVE,
    s2.TABLES_5_6,
    s2.SECTION_4,
    s2.TABLES_8_9,
    *s3.EXPERIMENTS,
    s4.TABLES_2_3,
    s4.TABLE_5,
    s4.TABLE_6,
    s4.FUTURE_WORK,
)


def items(paper: str) -> list[str]:
    """Return the names of a paper's experiments, as `find` takes them.

    Raises
    ------
    ValueError
        With the papers that there are, if this is none of them.
    """
    return [experiment.item for experiment in _of(paper)]


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
    there = _of(paper)
    if item is None:
        return there
    wanted = " ".join(item.lower().split())
    found = [experiment for experiment in there if wanted in _names(experiment.item)]
    if not found:
        near = get_close_matches(wanted, [name for e in there for name in _names(e.item)], n=3)
        hint = f"did you mean {' or '.join(repr(_spelt(name)) for name in near)}? " if near else ""
        raise ValueError(f"{paper} has no {item!r} here; {hint}It has {', '.join(items(paper))}")
    return found


def _of(paper: str) -> list[Experiment]:
    there = [e for e in EXPERIMENTS if e.paper == paper.strip().upper()]
    if not there:
        papers = ", ".join(dict.fromkeys(e.paper for e in EXPERIMENTS))
        raise ValueError(f"there is no paper {paper!r}; there are {papers}")
    return there


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


__all__ = ["Claim", "EXPERIMENTS", "Experiment", "Outcome", "find", "items", "published"]
