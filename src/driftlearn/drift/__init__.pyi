# Written by `make stubs`.
from driftlearn.drift import adwin as adwin
from driftlearn.drift import block as block
from driftlearn.drift import ddm as ddm
from driftlearn.drift import deviation as deviation
from driftlearn.drift import eddm as eddm
from driftlearn.drift import kswin as kswin
from driftlearn.drift import page_hinkley as page_hinkley
from driftlearn.drift.adwin import ADWIN as ADWIN
from driftlearn.drift.block import BlockTest as BlockTest
from driftlearn.drift.ddm import DDM as DDM
from driftlearn.drift.deviation import DeviationWindow as DeviationWindow
from driftlearn.drift.eddm import EDDM as EDDM
from driftlearn.drift.kswin import KSWIN as KSWIN
from driftlearn.drift.page_hinkley import PageHinkley as PageHinkley

__all__ = ['ADWIN', 'BlockTest', 'DDM', 'DeviationWindow', 'EDDM', 'KSWIN', 'PageHinkley']
