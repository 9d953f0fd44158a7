"""Change detectors: they are fed errors, one at a time, and say when the past no longer holds."""

from driftlearn.drift.adwin import ADWIN
from driftlearn.drift.block import BlockTest
from driftlearn.drift.deviation import DeviationWindow

__all__ = ["ADWIN", "BlockTest", "DeviationWindow"]
