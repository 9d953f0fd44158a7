"""Change detectors: they are fed errors, one at a time, and say when the past no longer holds."""

from driftlearn.drift.adwin import ADWIN
from driftlearn.drift.block import BlockTest
from driftlearn.drift.ddm import DDM
from driftlearn.drift.deviation import DeviationWindow
from driftlearn.drift.eddm import EDDM
from driftlearn.drift.kswin import KSWIN
from driftlearn.drift.page_hinkley import PageHinkley

__all__ = ["ADWIN", "DDM", "EDDM", "KSWIN", "BlockTest", "DeviationWindow", "PageHinkley"]
