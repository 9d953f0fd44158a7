"""Drift detectors: updated with one error at a time, they report when the error rate changes."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "ADWIN": "adwin",
        "BlockTest": "block",
        "DDM": "ddm",
        "DeviationWindow": "deviation",
        "EDDM": "eddm",
        "KSWIN": "kswin",
        "PageHinkley": "page_hinkley",
    },
)
