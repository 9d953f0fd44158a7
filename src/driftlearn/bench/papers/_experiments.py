"""The experiments of all papers."""

from driftlearn.bench.papers.paper import PAPERS, find

EXPERIMENTS = tuple(experiment for paper in PAPERS for experiment in find(paper))
