"""Evaluation on streams: protocols, metrics, significance tests.

A protocol turns a stream into *rounds* of testing and training. One loop tests and trains the
learners in each round and yields a `Step` per learner and round; a `Result` collects the steps.
"""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_drawable": "not_beating",
        "_memory": "nbytes",
        "_protocols": "Evaluation ROUNDS concepts delayed holdout prequential",
        "_repeat": "RepeatedResult cross_validation repeat",
        "_result": "Result WeightHistory",
        "_rounds": "concept_rounds delayed_rounds holdout_rounds prequential_rounds",
        "_row_progress": "Progress",
        "_run": "Learn LearnRows Predict Round Run Step TestThenTrain",
        "detection": "DetectionScores detection_scores",
        "significance": (
            "average_ranks friedman iman_davenport nemenyi rank_sum signed_ranks win_tie_loss"
        ),
    },
)
