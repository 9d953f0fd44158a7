# Written by `make stubs`.
from driftlearn.base import base_learners as base_learners
from driftlearn.base import chunk as chunk
from driftlearn.base import chunked as chunked
from driftlearn.base import class_weight as class_weight
from driftlearn.base import external_model as external_model
from driftlearn.base import nominal_features as nominal_features
from driftlearn.base import one_model as one_model
from driftlearn.base import prequential as prequential
from driftlearn.base import stream_classifier as stream_classifier
from driftlearn.base import thread_safe as thread_safe
from driftlearn.base import threads as threads
from driftlearn.base import validation as validation
from driftlearn.base.chunk import Chunk as Chunk
from driftlearn.base.stream_classifier import StreamClassifier as StreamClassifier
from driftlearn.base.chunk import draw as draw
from driftlearn.base.chunk import draw_by_inversion as draw_by_inversion
from driftlearn.base.chunk import folds as folds
from driftlearn.base.chunk import penalize as penalize
from driftlearn.base.chunk import stress as stress
from driftlearn.base.base_learners import transferred as transferred
from driftlearn.base.base_learners import updated as updated

__all__ = ['Chunk', 'StreamClassifier', 'draw', 'draw_by_inversion', 'folds', 'penalize', 'stress', 'transferred', 'updated']
