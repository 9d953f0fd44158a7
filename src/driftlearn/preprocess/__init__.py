"""From a user's own table to a learner: an encoder that keeps learning, and pipelines of steps."""

from typing import TYPE_CHECKING

from driftlearn._misspelt import misspelt
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

if not TYPE_CHECKING:  # or every misspelt name would be some name of unknown type

    def __getattr__(name):
        raise misspelt(__name__, name, __all__)
