"""Change detectors: they are fed errors, one at a time, and say when the past no longer holds."""

from driftlearn.drift.adwin import ADWIN

__all__ = ["ADWIN"]
