# Written by `make stubs`.
from driftlearn.dummy import majority as majority
from driftlearn.dummy import no_change as no_change
from driftlearn.dummy import refit as refit
from driftlearn.dummy.majority import MajorityClassifier as MajorityClassifier
from driftlearn.dummy.no_change import NoChangeClassifier as NoChangeClassifier
from driftlearn.dummy.refit import RefitClassifier as RefitClassifier

__all__ = ['MajorityClassifier', 'NoChangeClassifier', 'RefitClassifier']
