"""Learning from data that arrives over time while the world that makes it changes.

The public names are loaded when they are first used, so that ``driftlearn --help`` and
``import driftlearn`` answer at once. A type checker reads the imports instead, and so sees the
classes themselves.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from driftlearn._version import __version__

if TYPE_CHECKING:
    from driftlearn._versions import show_versions as show_versions
    from driftlearn.auto import AutoClassifier as AutoClassifier
    from driftlearn.baselines import MajorityClassifier as MajorityClassifier
    from driftlearn.baselines import NoChangeClassifier as NoChangeClassifier
    from driftlearn.baselines import RefitClassifier as RefitClassifier
    from driftlearn.chunk import AUE2Classifier as AUE2Classifier
    from driftlearn.chunk import AWEClassifier as AWEClassifier
    from driftlearn.chunk import DICClassifier as DICClassifier
    from driftlearn.chunk import DTELClassifier as DTELClassifier
    from driftlearn.chunk import DYNSEClassifier as DYNSEClassifier
    from driftlearn.chunk import LearnPPClassifier as LearnPPClassifier
    from driftlearn.chunk import LearnPPMTClassifier as LearnPPMTClassifier
    from driftlearn.chunk import LearnPPNCClassifier as LearnPPNCClassifier
    from driftlearn.chunk import LearnPPNSEClassifier as LearnPPNSEClassifier
    from driftlearn.chunk import LearnPPUDClassifier as LearnPPUDClassifier
    from driftlearn.chunk import LearnPPUDNCClassifier as LearnPPUDNCClassifier
    from driftlearn.chunk import SEAClassifier as SEAClassifier
    from driftlearn.chunk import SMOTEClassifier as SMOTEClassifier
    from driftlearn.chunk import TIXClassifier as TIXClassifier
    from driftlearn.inspection import inspect as inspect
    from driftlearn.learners import BoostingClassifier as BoostingClassifier
    from driftlearn.learners import CARTClassifier as CARTClassifier
    from driftlearn.learners import FuzzyARTMAPClassifier as FuzzyARTMAPClassifier
    from driftlearn.learners import GaussianNBClassifier as GaussianNBClassifier
    from driftlearn.learners import (
        HoeffdingAdaptiveTreeClassifier as HoeffdingAdaptiveTreeClassifier,
    )
    from driftlearn.learners import HoeffdingTreeClassifier as HoeffdingTreeClassifier
    from driftlearn.learners import LogisticClassifier as LogisticClassifier
    from driftlearn.learners import MLPGoalClassifier as MLPGoalClassifier
    from driftlearn.learners import StumpClassifier as StumpClassifier
    from driftlearn.online import ACEClassifier as ACEClassifier
    from driftlearn.online import AdaptiveRandomForestClassifier as AdaptiveRandomForestClassifier
    from driftlearn.online import ADWINBaggingClassifier as ADWINBaggingClassifier
    from driftlearn.online import DDDClassifier as DDDClassifier
    from driftlearn.online import DWMClassifier as DWMClassifier
    from driftlearn.online import FLBClassifier as FLBClassifier
    from driftlearn.online import FLCClassifier as FLCClassifier
    from driftlearn.online import FLORA2Classifier as FLORA2Classifier
    from driftlearn.online import FLORA3Classifier as FLORA3Classifier
    from driftlearn.online import IBoostClassifier as IBoostClassifier
    from driftlearn.online import LeveragingBaggingClassifier as LeveragingBaggingClassifier
    from driftlearn.online import NSOnlineBoostClassifier as NSOnlineBoostClassifier
    from driftlearn.online import OAUEClassifier as OAUEClassifier
    from driftlearn.online import OCBClassifier as OCBClassifier
    from driftlearn.online import OnlineBaggingClassifier as OnlineBaggingClassifier
    from driftlearn.online import OnlineBoostClassifier as OnlineBoostClassifier
    from driftlearn.online import OOBClassifier as OOBClassifier
    from driftlearn.online import RCDClassifier as RCDClassifier
    from driftlearn.online import STAGGERClassifier as STAGGERClassifier
    from driftlearn.online import (
        StreamingRandomPatchesClassifier as StreamingRandomPatchesClassifier,
    )
    from driftlearn.online import UOBClassifier as UOBClassifier
    from driftlearn.online import WeightedMajorityClassifier as WeightedMajorityClassifier
    from driftlearn.online import WindowedAdaBoostClassifier as WindowedAdaBoostClassifier
    from driftlearn.online import WinnowClassifier as WinnowClassifier
    from driftlearn.persist import load as load
    from driftlearn.preprocess import IncrementalPipeline as IncrementalPipeline
    from driftlearn.preprocess import TableEncoder as TableEncoder
    from driftlearn.preprocess import make_pipeline as make_pipeline

_WHERE = {
    "ACEClassifier": "online",
    "ADWINBaggingClassifier": "online",
    "AUE2Classifier": "chunk",
    "AWEClassifier": "chunk",
    "AdaptiveRandomForestClassifier": "online",
    "AutoClassifier": "auto",
    "BoostingClassifier": "learners",
    "CARTClassifier": "learners",
    "DDDClassifier": "online",
    "DICClassifier": "chunk",
    "DTELClassifier": "chunk",
    "DWMClassifier": "online",
    "DYNSEClassifier": "chunk",
    "FLBClassifier": "online",
    "FLCClassifier": "online",
    "FLORA2Classifier": "online",
    "FLORA3Classifier": "online",
    "FuzzyARTMAPClassifier": "learners",
    "GaussianNBClassifier": "learners",
    "HoeffdingAdaptiveTreeClassifier": "learners",
    "HoeffdingTreeClassifier": "learners",
    "IBoostClassifier": "online",
    "IncrementalPipeline": "preprocess",
    "LearnPPClassifier": "chunk",
    "LearnPPMTClassifier": "chunk",
    "LearnPPNCClassifier": "chunk",
    "LearnPPNSEClassifier": "chunk",
    "LearnPPUDClassifier": "chunk",
    "LearnPPUDNCClassifier": "chunk",
    "LeveragingBaggingClassifier": "online",
    "LogisticClassifier": "learners",
    "MLPGoalClassifier": "learners",
    "MajorityClassifier": "baselines",
    "NSOnlineBoostClassifier": "online",
    "NoChangeClassifier": "baselines",
    "OAUEClassifier": "online",
    "OCBClassifier": "online",
    "OOBClassifier": "online",
    "OnlineBaggingClassifier": "online",
    "OnlineBoostClassifier": "online",
    "RCDClassifier": "online",
    "RefitClassifier": "baselines",
    "SEAClassifier": "chunk",
    "SMOTEClassifier": "chunk",
    "STAGGERClassifier": "online",
    "StreamingRandomPatchesClassifier": "online",
    "StumpClassifier": "learners",
    "TIXClassifier": "chunk",
    "TableEncoder": "preprocess",
    "UOBClassifier": "online",
    "WeightedMajorityClassifier": "online",
    "WindowedAdaBoostClassifier": "online",
    "WinnowClassifier": "online",
    "inspect": "inspection",
    "load": "persist",
    "make_pipeline": "preprocess",
    "show_versions": "_versions",
}

__all__ = ["__version__", *sorted(_WHERE)]

if not TYPE_CHECKING:  # or every misspelt name would be some name of unknown type

    def __getattr__(name):
        if name in _WHERE:
            return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
        from driftlearn._misspelt import misspelt

        raise misspelt(__name__, name, __all__)


def __dir__() -> list[str]:
    return [*__all__]
