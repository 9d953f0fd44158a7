# Written by `make stubs`.
from driftlearn.ensemble.bagging import adwin_bagging as adwin_bagging
from driftlearn.ensemble.bagging import ddd as ddd
from driftlearn.ensemble.bagging import leveraging_bagging as leveraging_bagging
from driftlearn.ensemble.bagging import online_bagging as online_bagging
from driftlearn.ensemble.bagging import oversampling_bagging as oversampling_bagging
from driftlearn.ensemble.bagging.adwin_bagging import ADWINBaggingClassifier as ADWINBaggingClassifier
from driftlearn.ensemble.bagging.ddd import DDDClassifier as DDDClassifier
from driftlearn.ensemble.bagging.leveraging_bagging import LeveragingBaggingClassifier as LeveragingBaggingClassifier
from driftlearn.ensemble.bagging.oversampling_bagging import OOBClassifier as OOBClassifier
from driftlearn.ensemble.bagging.online_bagging import OnlineBaggingClassifier as OnlineBaggingClassifier
from driftlearn.ensemble.bagging.oversampling_bagging import UOBClassifier as UOBClassifier

__all__ = ['ADWINBaggingClassifier', 'DDDClassifier', 'LeveragingBaggingClassifier', 'OOBClassifier', 'OnlineBaggingClassifier', 'UOBClassifier']
