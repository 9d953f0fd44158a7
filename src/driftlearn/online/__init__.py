"""Learners that see one example at a time; one file a paper."""

from driftlearn.online.adwin_bagging import ADWINBaggingClassifier
from driftlearn.online.dwm import DWMClassifier
from driftlearn.online.flc import FLCClassifier
from driftlearn.online.nsonline_boost import NSOnlineBoostClassifier
from driftlearn.online.online_boost import OnlineBoostClassifier

__all__ = [
    "ADWINBaggingClassifier",
    "DWMClassifier",
    "FLCClassifier",
    "NSOnlineBoostClassifier",
    "OnlineBoostClassifier",
]
