"""Learning from data that arrives over time while the world that makes it changes.

The public names are loaded when they are first used, so that ``driftlearn --help`` and
``import driftlearn`` answer at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from driftlearn._version import __version__

_WHERE = {
    "ADWINBaggingClassifier": "online.adwin_bagging",
    "AUE2Classifier": "chunk.aue2",
    "AWEClassifier": "chunk.awe",
    "CARTClassifier": "learners.cart",
    "DICClassifier": "chunk.dic",
    "DTELClassifier": "chunk.dtel",
    "DWMClassifier": "online.dwm",
    "FLBClassifier": "online.flb",
    "FLCClassifier": "online.flc",
    "FuzzyARTMAPClassifier": "learners.artmap",
    "GaussianNBClassifier": "learners.gaussian_nb",
    "HoeffdingTreeClassifier": "learners.hoeffding_tree",
    "IBoostClassifier": "online.iboost",
    "LearnPPClassifier": "chunk.learnpp",
    "LearnPPMTClassifier": "chunk.learnpp_mt",
    "LearnPPNCClassifier": "chunk.learnpp_nc",
    "LearnPPNSEClassifier": "chunk.learnpp_nse",
    "LearnPPUDClassifier": "chunk.learnpp_ud",
    "LearnPPUDNCClassifier": "chunk.learnpp_udnc",
    "MLPGoalClassifier": "learners.mlp_goal",
    "NSOnlineBoostClassifier": "online.nsonline_boost",
    "OCBClassifier": "online.ocb",
    "OnlineBoostClassifier": "online.online_boost",
    "SEAClassifier": "chunk.sea",
    "SMOTEClassifier": "chunk.smote",
    "StumpClassifier": "learners.stump",
    "TIXClassifier": "chunk.tix",
    "WindowedAdaBoostClassifier": "online.windowed_adaboost",
    "show_versions": "_versions",
}

__all__ = ["__version__", *sorted(_WHERE)]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__]
