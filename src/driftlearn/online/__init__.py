"""Learners that see one example at a time; one file a paper."""

from driftlearn import _compiled as _compiled
from driftlearn.online.ace import ACEClassifier
from driftlearn.online.adaptive_random_forest import AdaptiveRandomForestClassifier
from driftlearn.online.adwin_bagging import ADWINBaggingClassifier
from driftlearn.online.ddd import DDDClassifier
from driftlearn.online.dwm import DWMClassifier
from driftlearn.online.flb import FLBClassifier
from driftlearn.online.flc import FLCClassifier
from driftlearn.online.flora import FLORA2Classifier, FLORA3Classifier
from driftlearn.online.iboost import IBoostClassifier
from driftlearn.online.leveraging_bagging import LeveragingBaggingClassifier
from driftlearn.online.nsonline_boost import NSOnlineBoostClassifier
from driftlearn.online.oaue import OAUEClassifier
from driftlearn.online.ocb import OCBClassifier
from driftlearn.online.online_bagging import OnlineBaggingClassifier
from driftlearn.online.online_boost import OnlineBoostClassifier
from driftlearn.online.oob import OOBClassifier, UOBClassifier
from driftlearn.online.random_patches import StreamingRandomPatchesClassifier
from driftlearn.online.rcd import RCDClassifier
from driftlearn.online.stagger import STAGGERClassifier
from driftlearn.online.watch import Watch
from driftlearn.online.weighted_majority import WeightedMajorityClassifier
from driftlearn.online.windowed_adaboost import WindowedAdaBoostClassifier
from driftlearn.online.winnow import WinnowClassifier

__all__ = [
    "ACEClassifier",
    "ADWINBaggingClassifier",
    "AdaptiveRandomForestClassifier",
    "DDDClassifier",
    "DWMClassifier",
    "FLBClassifier",
    "FLCClassifier",
    "FLORA2Classifier",
    "FLORA3Classifier",
    "IBoostClassifier",
    "LeveragingBaggingClassifier",
    "NSOnlineBoostClassifier",
    "OAUEClassifier",
    "OCBClassifier",
    "OOBClassifier",
    "OnlineBaggingClassifier",
    "OnlineBoostClassifier",
    "STAGGERClassifier",
    "RCDClassifier",
    "UOBClassifier",
    "StreamingRandomPatchesClassifier",
    "Watch",
    "WeightedMajorityClassifier",
    "WindowedAdaBoostClassifier",
    "WinnowClassifier",
]
