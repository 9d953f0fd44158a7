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

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_experiments": "EXPERIMENTS",
        "claim": "Claim Evidence within",
        "experiment": "Experiment",
        "outcome": "Outcome",
        "paper": "PAPERS Paper find items published",
        "setting": "Setting",
    },
)
