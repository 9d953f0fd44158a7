# Written by `make stubs`.
from driftlearn.linear_model import logistic as logistic
from driftlearn.linear_model import one_hot_logistic as one_hot_logistic
from driftlearn.linear_model import winnow as winnow
from driftlearn.linear_model.logistic import LogisticClassifier as LogisticClassifier
from driftlearn.linear_model.one_hot_logistic import OneHotLogisticClassifier as OneHotLogisticClassifier
from driftlearn.linear_model.winnow import WinnowClassifier as WinnowClassifier

__all__ = ['LogisticClassifier', 'OneHotLogisticClassifier', 'WinnowClassifier']
