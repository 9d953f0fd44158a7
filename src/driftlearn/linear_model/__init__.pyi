# Written by `make stubs`.
from driftlearn.linear_model import logistic as logistic
from driftlearn.linear_model import winnow as winnow
from driftlearn.linear_model.logistic import LogisticClassifier as LogisticClassifier
from driftlearn.linear_model.winnow import WinnowClassifier as WinnowClassifier

__all__ = ['LogisticClassifier', 'WinnowClassifier']
