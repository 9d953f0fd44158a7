"""Learners that are handed a data set at a time; one file a paper."""

from driftlearn.chunk.aue2 import AUE2Classifier
from driftlearn.chunk.awe import AWEClassifier
from driftlearn.chunk.dic import DICClassifier
from driftlearn.chunk.dtel import DTELClassifier
from driftlearn.chunk.nse import LearnPPNSEClassifier
from driftlearn.chunk.sea import SEAClassifier
from driftlearn.chunk.tix import TIXClassifier

__all__ = [
    "AUE2Classifier",
    "AWEClassifier",
    "DICClassifier",
    "DTELClassifier",
    "LearnPPNSEClassifier",
    "SEAClassifier",
    "TIXClassifier",
]
