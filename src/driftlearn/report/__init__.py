"""Figures for a paper (matplotlib) and a page to send to a colleague (one HTML file)."""

from driftlearn.report._critical_difference import critical_difference
from driftlearn.report._display import FigureDisplay, ResultDisplay
from driftlearn.report._figures import accuracy, draw, overview, recall, size
from driftlearn.report._page import page
from driftlearn.report._regions import regions
from driftlearn.report._weights import weights

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
