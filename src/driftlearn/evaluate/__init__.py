"""Evaluation on streams: protocols, metrics, significance tests.

A protocol turns a stream into *rounds* of testing and training. One loop runs the learners through
them and yields a `Step` per learner and round; a `Result` gathers the steps.
"""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_drawable": "not_beating",
        "_concept_rounds": "concept_rounds",
        "_cross_validation": "cross_validation",
        "_evaluation": "ROUNDS Evaluation",
        "_memory": "nbytes",
        "_protocols": "concepts delayed holdout prequential",
        "_repeat": "RepeatedResult repeat",
        "_result": "Result WeightHistory",
        "_rounds": "delayed_rounds holdout_rounds prequential_rounds",
        "_row_progress": "Progress",
        "_run": "Learn LearnRows Predict Round Run Step TestThenTrain",
        "detection": "DetectionScores detection_scores",
        "significance": (
            "average_ranks friedman iman_davenport nemenyi rank_sum signed_ranks win_tie_loss"
        ),
    },
)
