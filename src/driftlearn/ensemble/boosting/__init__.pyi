# Written by `make stubs`.
from driftlearn.ensemble.boosting import adaboost as adaboost
from driftlearn.ensemble.boosting import flb as flb
from driftlearn.ensemble.boosting import flc as flc
from driftlearn.ensemble.boosting import iboost as iboost
from driftlearn.ensemble.boosting import nsonline_boost as nsonline_boost
from driftlearn.ensemble.boosting import ocb as ocb
from driftlearn.ensemble.boosting import online_boost as online_boost
from driftlearn.ensemble.boosting import windowed_adaboost as windowed_adaboost
from driftlearn.ensemble.boosting.adaboost import BoostingClassifier as BoostingClassifier
from driftlearn.ensemble.boosting.flb import FLBClassifier as FLBClassifier
from driftlearn.ensemble.boosting.flc import FLCClassifier as FLCClassifier
from driftlearn.ensemble.boosting.iboost import IBoostClassifier as IBoostClassifier
from driftlearn.ensemble.boosting.nsonline_boost import NSOnlineBoostClassifier as NSOnlineBoostClassifier
from driftlearn.ensemble.boosting.ocb import OCBClassifier as OCBClassifier
from driftlearn.ensemble.boosting.online_boost import OnlineBoostClassifier as OnlineBoostClassifier
from driftlearn.ensemble.boosting._watch import Watch as Watch
from driftlearn.ensemble.boosting.windowed_adaboost import WindowedAdaBoostClassifier as WindowedAdaBoostClassifier

__all__ = ['BoostingClassifier', 'FLBClassifier', 'FLCClassifier', 'IBoostClassifier', 'NSOnlineBoostClassifier', 'OCBClassifier', 'OnlineBoostClassifier', 'Watch', 'WindowedAdaBoostClassifier']
