# Written by `make stubs`.
from driftlearn.dummy import baselines as baselines
from driftlearn.dummy import refit as refit
from driftlearn.dummy.baselines import MajorityClassifier as MajorityClassifier
from driftlearn.dummy.baselines import NoChangeClassifier as NoChangeClassifier
from driftlearn.dummy.refit import RefitClassifier as RefitClassifier

__all__ = ['MajorityClassifier', 'NoChangeClassifier', 'RefitClassifier']
