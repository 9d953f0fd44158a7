# Written by `make stubs`.
from driftlearn.bench.report._figures import FigureDisplay as FigureDisplay
from driftlearn.bench.report._figures import ResultDisplay as ResultDisplay
from driftlearn.bench.report._figures import accuracy as accuracy
from driftlearn.bench.report._rank_diagram import critical_difference as critical_difference
from driftlearn.bench.report._figures import draw as draw
from driftlearn.bench.report._figures import overview as overview
from driftlearn.bench.report._page import page as page
from driftlearn.bench.report._figures import recall as recall
from driftlearn.bench.report._regions import regions as regions
from driftlearn.bench.report._figures import size as size
from driftlearn.bench.report._figures import weights as weights

__all__ = ['FigureDisplay', 'ResultDisplay', 'accuracy', 'critical_difference', 'draw', 'overview', 'page', 'recall', 'regions', 'size', 'weights']
