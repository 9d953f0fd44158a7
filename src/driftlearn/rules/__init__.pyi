# Written by `make stubs`.
from driftlearn.rules import flora as flora
from driftlearn.rules import stagger as stagger
from driftlearn.rules.flora import FLORA2Classifier as FLORA2Classifier
from driftlearn.rules.flora import FLORA3Classifier as FLORA3Classifier
from driftlearn.rules.stagger import STAGGERClassifier as STAGGERClassifier

__all__ = ['FLORA2Classifier', 'FLORA3Classifier', 'STAGGERClassifier']
