"""A classifier for each key of a stream: for each device, shop or patient, with its own drift.

`KeyedLearner` trains and predicts a single key; `KeyedModels` does so for all keys in one process,
over a `KeyStore`; `SharedModels` are the models that keys share.
"""

from driftlearn.ops.keyed.key_record import KeyRecord
from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import KeyedLearner, Predictions
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.shared_models import SharedModels

__all__ = [
    "KeyRecord",
    "KeyState",
    "KeyStore",
    "KeyedLearner",
    "KeyedModels",
    "Predictions",
    "SharedModels",
]
