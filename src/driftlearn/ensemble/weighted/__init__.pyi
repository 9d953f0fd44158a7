# Written by `make stubs`.
from driftlearn.ensemble.weighted import ace as ace
from driftlearn.ensemble.weighted import dwm as dwm
from driftlearn.ensemble.weighted import oaue as oaue
from driftlearn.ensemble.weighted import rcd as rcd
from driftlearn.ensemble.weighted import weighted_majority as weighted_majority
from driftlearn.ensemble.weighted.ace import ACEClassifier as ACEClassifier
from driftlearn.ensemble.weighted.dwm import DWMClassifier as DWMClassifier
from driftlearn.ensemble.weighted.oaue import OAUEClassifier as OAUEClassifier
from driftlearn.ensemble.weighted.rcd import RCDClassifier as RCDClassifier
from driftlearn.ensemble.weighted.weighted_majority import WeightedMajorityClassifier as WeightedMajorityClassifier

__all__ = ['ACEClassifier', 'DWMClassifier', 'OAUEClassifier', 'RCDClassifier', 'WeightedMajorityClassifier']
