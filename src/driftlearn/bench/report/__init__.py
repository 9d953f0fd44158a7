"""Figures of results (matplotlib), and result pages as self-contained HTML files."""

from driftlearn.bench.report._figures import (
    FigureDisplay,
    ResultDisplay,
    accuracy,
    draw,
    overview,
    recall,
    size,
    weights,
)
from driftlearn.bench.report._page import page
from driftlearn.bench.report._rank_diagram import critical_difference
from driftlearn.bench.report._regions import regions

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
