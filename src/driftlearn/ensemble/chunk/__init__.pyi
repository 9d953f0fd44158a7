# Written by `make stubs`.
from driftlearn.ensemble.chunk import attempts as attempts
from driftlearn.ensemble.chunk import aue2 as aue2
from driftlearn.ensemble.chunk import awe as awe
from driftlearn.ensemble.chunk import dic as dic
from driftlearn.ensemble.chunk import dtel as dtel
from driftlearn.ensemble.chunk import dynse as dynse
from driftlearn.ensemble.chunk import learnpp as learnpp
from driftlearn.ensemble.chunk import learnpp_family as learnpp_family
from driftlearn.ensemble.chunk import learnpp_mt as learnpp_mt
from driftlearn.ensemble.chunk import learnpp_nc as learnpp_nc
from driftlearn.ensemble.chunk import learnpp_nse as learnpp_nse
from driftlearn.ensemble.chunk import learnpp_ud as learnpp_ud
from driftlearn.ensemble.chunk import learnpp_udnc as learnpp_udnc
from driftlearn.ensemble.chunk import sea as sea
from driftlearn.ensemble.chunk import smote as smote
from driftlearn.ensemble.chunk import tix as tix
from driftlearn.ensemble.chunk.aue2 import AUE2Classifier as AUE2Classifier
from driftlearn.ensemble.chunk.awe import AWEClassifier as AWEClassifier
from driftlearn.ensemble.chunk.dic import DICClassifier as DICClassifier
from driftlearn.ensemble.chunk.dtel import DTELClassifier as DTELClassifier
from driftlearn.ensemble.chunk.dynse import DYNSEClassifier as DYNSEClassifier
from driftlearn.ensemble.chunk.learnpp import LearnPPClassifier as LearnPPClassifier
from driftlearn.ensemble.chunk.learnpp_mt import LearnPPMTClassifier as LearnPPMTClassifier
from driftlearn.ensemble.chunk.learnpp_nc import LearnPPNCClassifier as LearnPPNCClassifier
from driftlearn.ensemble.chunk.learnpp_nse import LearnPPNSEClassifier as LearnPPNSEClassifier
from driftlearn.ensemble.chunk.learnpp_ud import LearnPPUDClassifier as LearnPPUDClassifier
from driftlearn.ensemble.chunk.learnpp_udnc import LearnPPUDNCClassifier as LearnPPUDNCClassifier
from driftlearn.ensemble.chunk.sea import SEAClassifier as SEAClassifier
from driftlearn.ensemble.chunk.smote import SMOTEClassifier as SMOTEClassifier
from driftlearn.ensemble.chunk.tix import TIXClassifier as TIXClassifier

__all__ = ['AUE2Classifier', 'AWEClassifier', 'DICClassifier', 'DTELClassifier', 'DYNSEClassifier', 'LearnPPClassifier', 'LearnPPMTClassifier', 'LearnPPNCClassifier', 'LearnPPNSEClassifier', 'LearnPPUDClassifier', 'LearnPPUDNCClassifier', 'SEAClassifier', 'SMOTEClassifier', 'TIXClassifier']
