"""What readers know of a model for each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.serving.keyed_rows import read
from driftlearn.ops.serving.refused import Refused
from driftlearn.ops.serving.rows import Rows
from driftlearn.ops.serving.served_model import Facts
from driftlearn.ops.serving.shown_states import ShownStates
from driftlearn.streams._csv import kind_of


class KeyedReader:
    """Models of keys of one moment; see `Reader`.

    Keys that changed since all was saved are as they were at that moment. All others are read from
    the store when they are asked for, so they are as at that moment or, if all was saved again
    meanwhile, newer.

    Parameters
    ----------
    settings : dict
        Of the state folder.
    learner : KeyedLearner
        How keys learn, with a copy of the shared models.
    changed : dict of str to KeyState or None
        States that changed since all was saved; None where a key is forgotten.
    shown : ShownStates
        Those that were saved.
    n_rows : int
        Rows that were learned.
    facts : Facts
        What is told.
    """

    at_once = 1 << 10  # each key may have to be read and loaded

    def __init__(
        self,
        settings: Mapping[str, Any],
        learner: KeyedLearner,
        changed: Mapping[str, KeyState | None],
        shown: ShownStates,
        n_rows: int,
        facts: Facts,
    ):
        self._settings, self._learner = settings, learner
        self._changed, self._shown, self._facts = changed, shown, facts
        self.n_rows, self.is_ready = n_rows, n_rows > 0
        self._labels = labels_of(learner)

    def check(self, rows: Rows) -> None:
        """See `Reader`."""
        read(rows, self._settings, self._learner, labelled=True)

    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """Return for each row its ``label`` and ``votes``: own, global, or from another key."""
        if not self.is_ready:
            raise Refused(503, "no key has learned a row yet: send some to /learn", after=1)
        found, _ = read(rows, self._settings, self._learner, labelled=False)
        predictions = self._learner.predict_rows(found, self._state)
        return predictions_of(predictions.labels, predictions.votes, self._labels)

    def facts(self) -> Facts:
        """See `Reader`."""
        return self._facts

    def _state(self, key: str) -> KeyState | None:
        if key in self._changed:
            return self._changed[key]
        return self._shown.state(key, self._learner)


def labels_of(learner: KeyedLearner) -> dict[str, Any]:
    """Return the labels that the global model knows: as text, and as numbers where all are some."""
    classes = getattr(learner.shared.global_model, "classes_", ())
    texts = [str(label) for label in classes]
    kind = kind_of({*texts})
    return {text: kind(text) for text in texts}


def predictions_of(
    labels: list[str | None], votes: list[str | None], known: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return predictions as JSON values."""
    return [
        {"label": None if label is None else known.get(label, label), "votes": source}
        for label, source in zip(labels, votes)
    ]
