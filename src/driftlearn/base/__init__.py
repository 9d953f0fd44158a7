"""Base classes and helpers shared by all learners.

`StreamClassifier` is the base of all learners; ``docs/writing-a-base-learner.rst`` shows how to
write one. The bases of ensembles, `ChunkClassifier` and `OnlineClassifier`, are in
`driftlearn.ensemble`. Functions that weight and draw rows are pure functions on arrays.
"""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "base_learners": "transferred updated",
        "chunk": "Chunk draw draw_by_inversion folds penalize stress",
        "stream_classifier": "StreamClassifier",
    },
)
