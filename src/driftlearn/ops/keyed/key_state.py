"""All that is known of one key, and moves together."""

from __future__ import annotations

from typing import Any, ClassVar

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.drift.adwin import ADWIN
from driftlearn.io.schema import Field, InvalidStateError, a, integer, optional
from driftlearn.ops.keyed.key_record import MOST_ROWS, KeyRecord
from driftlearn.ops.keyed.voices import Voices
from driftlearn.preprocessing.pipeline import IncrementalPipeline
from driftlearn.preprocessing.table_encoder import TableEncoder


class KeyState:
    """The own model of a key and how it did.

    There is no clock in it, and its bytes (`KeyedLearner.dumps`) do not depend on how the rows of
    the key were sliced into calls.

    Parameters
    ----------
    encoder : TableEncoder
        Makes numbers of the key's rows, by what was known before each.
    learner : learner
        Learns them.

    Attributes
    ----------
    encoder, learner
        The two steps of the own model.
    own : IncrementalPipeline
        The model of this key alone: both steps.
    voices : Voices
        Whose answer counts: that of the own model, the global one, or one on the shelf.
    record : KeyRecord
        How it did.
    detector : ADWIN
        Watches the errors of the own model.
    seen : int or None
        The number of its last row in the stream, where keys expire; else None.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "encoder": a(TableEncoder),
        "learner": a(StreamClassifier),
        "voices": a(Voices),
        "record": a(KeyRecord),
        "detector": a(ADWIN),
        "seen": optional(integer(0, MOST_ROWS), needed=True),
    }

    def __init__(self, encoder: TableEncoder, learner: Any):
        self.encoder, self.learner = encoder, learner
        self.voices = Voices()
        self.record = KeyRecord()
        self.detector = ADWIN()
        self.seen: int | None = None

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the learner has as many features as the encoder gives."""
        encoder, learner = state["encoder"], state["learner"]
        if not hasattr(encoder, "known_"):
            raise InvalidStateError("a KeyState whose encoder does not know its columns")
        width = getattr(learner, "n_features_in_", None)
        if width not in (None, len(encoder.known_.scaled)):
            raise InvalidStateError(
                f"a KeyState whose learner has {width} features, others than its encoder"
            )

    @property
    def own(self) -> IncrementalPipeline:
        """The model of this key alone."""
        return joined(self.encoder, self.learner)


def joined(encoder: TableEncoder, learner: Any) -> IncrementalPipeline:
    """Return two steps that have begun as the pipeline they are."""
    steps = [("encoder", encoder), ("learner", learner)]
    model = IncrementalPipeline(steps)
    model.steps_, model.waiting_ = [*steps], [[], []]
    return model
