"""S1: DTEL against SEA, Learn++.NSE, AUE2 and TIX."""

from driftlearn.papers.s1._archive import FIGURE_4
from driftlearn.papers.s1._common import LEARNERS, printed
from driftlearn.papers.s1._ranks import TABLE_VI
from driftlearn.papers.s1._real import FIGURE_3, TABLE_V
from driftlearn.papers.s1._runtime import TABLE_VII
from driftlearn.papers.s1._synthetic import FIGURE_2, TABLE_III

EXPERIMENTS = (TABLE_III, TABLE_V, TABLE_VI, TABLE_VII, FIGURE_2, FIGURE_3, FIGURE_4)

__all__ = [
    "EXPERIMENTS",
    "FIGURE_2",
    "FIGURE_3",
    "FIGURE_4",
    "LEARNERS",
    "TABLE_III",
    "TABLE_V",
    "TABLE_VI",
    "TABLE_VII",
    "printed",
]
