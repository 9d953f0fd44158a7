"""Figures for a paper (matplotlib) and a page to send to a colleague (one HTML file)."""

from driftlearn.report._cd import critical_difference
from driftlearn.report._figures import accuracy, draw, overview, recall, size
from driftlearn.report._html import page
from driftlearn.report._weights import weights

__all__ = [
    "accuracy",
    "recall",
    "weights",
    "size",
    "critical_difference",
    "draw",
    "overview",
    "page",
]
