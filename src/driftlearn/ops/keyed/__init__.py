"""One classifier per key of a stream, for example per device, shop or patient.

`KeyedLearner` trains and predicts for a single key. `KeyedModels` handles all keys in one process,
with a `KeyStore`. `SharedModels` contains the models that all keys share.
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
