"""From a user's own table to a learner: an encoder that keeps learning, and pipelines of steps."""

from driftlearn.preprocess.pipeline import IncrementalPipeline, make_pipeline
from driftlearn.preprocess.refitted import Frozen, Refitted
from driftlearn.preprocess.surprises import Surprise, SurpriseWarning
from driftlearn.preprocess.table_encoder import TableEncoder

__all__ = [
    "Frozen",
    "IncrementalPipeline",
    "Refitted",
    "Surprise",
    "SurpriseWarning",
    "TableEncoder",
    "make_pipeline",
]
