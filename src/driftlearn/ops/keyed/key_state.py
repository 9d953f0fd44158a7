"""The state of one key."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.drift.adwin import ADWIN
from driftlearn.io.schema import Field, InvalidStateError, a, integer, optional
from driftlearn.ops.keyed.key_record import MAX_ROWS, KeyRecord
from driftlearn.ops.keyed.model_weights import ModelWeights
from driftlearn.preprocessing import IncrementalPipeline, TableEncoder
from driftlearn.preprocessing._steps import working_copy


class KeyState:
    """The model of one key, its voting weights and its accuracy.

    A state contains no timestamps, and its bytes (`KeyedLearner.dumps`) do not depend on how the
    rows of the key were split into calls.

    Parameters
    ----------
    encoder : TableEncoder
        Encodes the rows of the key; the encoding of a row depends only on earlier rows.
    learner : classifier
        Classifier of the encoded rows.

    Attributes
    ----------
    encoder, learner
        The two steps of the key's own model.
    own : IncrementalPipeline
        The key's own model, which consists of both steps.
    weights : ModelWeights
        Voting weights of the key's own model and of the shared models.
    record : KeyRecord
        Accuracy over the rows of the key.
    detector : ADWIN
        Detects changes in the error rate of the key's own model.
    seen : int or None
        Stream row number of the last row of the key if idle keys expire, otherwise None.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "encoder": a(TableEncoder),
        "learner": a(StreamClassifier),
        "weights": a(ModelWeights),
        "record": a(KeyRecord),
        "detector": a(ADWIN),
        "seen": optional(integer(0, MAX_ROWS), needed=True),
    }

    def __init__(self, encoder: TableEncoder, learner: Any):
        self.encoder, self.learner = encoder, learner
        self.weights = ModelWeights()
        self.record = KeyRecord()
        self.detector = ADWIN()
        self.seen: int | None = None

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the learner has as many features as the encoder output."""
        encoder, learner = state["encoder"], state["learner"]
        if not hasattr(encoder, "known_"):
            raise InvalidStateError("KeyState: the encoder has no columns")
        width, n = getattr(learner, "n_features_in_", None), len(encoder.known_.scaled)
        if width not in (None, n):
            raise InvalidStateError(
                f"KeyState: the learner has {width} features, but the encoder returns {n}"
            )

    def snapshot(self) -> KeyState:
        """Return a state for predictions, which does not change when this one is trained.

        Its detector, and all of its record but the counts, are those of this state.
        """
        found = copy(self)
        found.encoder, found.learner = working_copy(self.encoder), self.learner._copied()
        found.weights, found.record = copy(self.weights), copy(self.record)
        return found

    @property
    def own(self) -> IncrementalPipeline:
        """The key's own model."""
        return joined(self.encoder, self.learner)


def change_kinds(encoder: TableEncoder, kinds: Mapping[str, str]) -> None:
    """Change the kinds of columns; models that are newer than an earlier drop lack its column."""
    encoder.change_kinds({name: kinds[name] for name in encoder.kinds_ if name in kinds})


def joined(encoder: TableEncoder, learner: Any) -> IncrementalPipeline:
    """Return the pipeline of an initialized encoder and an initialized learner."""
    steps = [("encoder", encoder), ("learner", learner)]
    model = IncrementalPipeline(steps)
    model.steps_, model.waiting_ = [*steps], [[], []]
    return model
