"""Learners that are handed a data set at a time; one file a paper."""

from driftlearn.chunk.aue2 import AUE2Classifier
from driftlearn.chunk.awe import AWEClassifier
from driftlearn.chunk.dic import DICClassifier
from driftlearn.chunk.dtel import DTELClassifier
from driftlearn.chunk.dynse import DYNSEClassifier
from driftlearn.chunk.learnpp import LearnPPClassifier
from driftlearn.chunk.learnpp_mt import LearnPPMTClassifier
from driftlearn.chunk.learnpp_nc import LearnPPNCClassifier
from driftlearn.chunk.learnpp_nse import LearnPPNSEClassifier
from driftlearn.chunk.learnpp_ud import LearnPPUDClassifier
from driftlearn.chunk.learnpp_udnc import LearnPPUDNCClassifier
from driftlearn.chunk.sea import SEAClassifier
from driftlearn.chunk.smote import SMOTEClassifier
from driftlearn.chunk.tix import TIXClassifier

__all__ = [
    "AUE2Classifier",
    "AWEClassifier",
    "DICClassifier",
    "DTELClassifier",
    "DYNSEClassifier",
    "LearnPPClassifier",
    "LearnPPMTClassifier",
    "LearnPPNCClassifier",
    "LearnPPNSEClassifier",
    "LearnPPUDClassifier",
    "LearnPPUDNCClassifier",
    "SEAClassifier",
    "SMOTEClassifier",
    "TIXClassifier",
]
