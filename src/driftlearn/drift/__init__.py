"""Drift detectors: updated with one error at a time, they report when the error rate changes."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "adwin": "ADWIN",
        "block": "BlockTest",
        "ddm": "DDM",
        "deviation": "DeviationWindow",
        "eddm": "EDDM",
        "kswin": "KSWIN",
        "page_hinkley": "PageHinkley",
    },
)
