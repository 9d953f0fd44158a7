"""A model for each key of a stream: a million devices, shops or patients, each with its own drift.

`KeyedLearner` is the pure step that engines need; `KeyedModels` runs it in one process over a
`KeyStore`; what keys share is a `Population`.
"""

from driftlearn.ops.keyed.key_record import KeyRecord
from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import Answers, KeyedLearner
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.population import Population

__all__ = [
    "Answers",
    "KeyRecord",
    "KeyState",
    "KeyStore",
    "KeyedLearner",
    "KeyedModels",
    "Population",
]
