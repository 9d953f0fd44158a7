"""Figures of results (matplotlib), and result pages as self-contained HTML files."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_figures": "FigureDisplay ResultDisplay accuracy draw overview recall size weights",
        "_page": "page",
        "_rank_diagram": "critical_difference",
        "_regions": "regions",
    },
)
