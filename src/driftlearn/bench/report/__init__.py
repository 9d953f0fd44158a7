"""Figures for a paper (matplotlib) and a page to send to a colleague (one HTML file)."""

from driftlearn.bench.report._critical_difference import critical_difference
from driftlearn.bench.report._display import FigureDisplay, ResultDisplay
from driftlearn.bench.report._figures import accuracy, draw, overview, recall, size
from driftlearn.bench.report._page import page
from driftlearn.bench.report._regions import regions
from driftlearn.bench.report._weights import weights

__all__ = [
    "FigureDisplay",
    "ResultDisplay",
    "accuracy",
    "recall",
    "weights",
    "size",
    "critical_difference",
    "draw",
    "overview",
    "regions",
    "page",
]
