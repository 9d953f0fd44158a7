"""The experiments of all papers."""

from driftlearn.bench.papers._items import find
from driftlearn.bench.papers.paper import PAPERS

EXPERIMENTS = tuple(experiment for paper in PAPERS for experiment in find(paper))
