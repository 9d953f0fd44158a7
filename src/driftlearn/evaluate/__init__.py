"""Evaluation on streams: protocols, metrics, significance tests.

A protocol turns a stream into *rounds* of testing and training. One loop runs the learners through
them and yields a `Step` per learner and round; a `Result` gathers the steps.
"""

from typing import TYPE_CHECKING

from driftlearn.ensemble.history import WeightHistory
from driftlearn.evaluate import metrics, significance
from driftlearn.evaluate._baselines import not_beating
from driftlearn.evaluate._concept_rounds import concept_rounds
from driftlearn.evaluate._cross_validation import cross_validation
from driftlearn.evaluate._evaluation import ROUNDS, Evaluation
from driftlearn.evaluate._memory import nbytes
from driftlearn.evaluate._protocols import concepts, delayed, holdout, prequential
from driftlearn.evaluate._repeat import RepeatedResult, repeat
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._rounds import delayed_rounds, holdout_rounds, prequential_rounds
from driftlearn.evaluate._row_progress import Progress
from driftlearn.evaluate._run import Learn, LearnRows, Predict, Round, Run, Step, TestThenTrain
from driftlearn.evaluate.detection import DetectionScores, detection_scores
from driftlearn.evaluate.significance import (
    average_ranks,
    friedman,
    iman_davenport,
    nemenyi,
    rank_sum,
    signed_ranks,
    win_tie_loss,
)
from driftlearn.utils.lazy import misspelt

__all__ = [
    "prequential",
    "holdout",
    "delayed",
    "concepts",
    "cross_validation",
    "repeat",
    "not_beating",
    "Result",
    "RepeatedResult",
    "Evaluation",
    "ROUNDS",
    "Run",
    "Round",
    "Learn",
    "LearnRows",
    "Predict",
    "TestThenTrain",
    "Step",
    "prequential_rounds",
    "holdout_rounds",
    "delayed_rounds",
    "concept_rounds",
    "WeightHistory",
    "Progress",
    "metrics",
    "nbytes",
    "significance",
    "rank_sum",
    "win_tie_loss",
    "average_ranks",
    "friedman",
    "iman_davenport",
    "signed_ranks",
    "nemenyi",
    "detection_scores",
    "DetectionScores",
]

if not TYPE_CHECKING:  # or every misspelt name would be some name of unknown type

    def __getattr__(name):
        raise misspelt(__name__, name, __all__)
