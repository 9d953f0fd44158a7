"""Snapshot of the models for keys."""

from collections.abc import Mapping
from typing import Any

from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.serving.keyed_request import read
from driftlearn.ops.serving.request_rows import Rows
from driftlearn.ops.serving.saved_states import SavedStates
from driftlearn.ops.serving.served_model import Facts
from driftlearn.tables.csv_file import label_type


class KeyedReader:
    """Snapshot of the models for keys; see `Reader`.

    States that changed since the last save are copies of that moment. All others are read from
    the store on demand: they are those of that moment or, after another save, newer.

    Parameters
    ----------
    settings : dict
        The settings of the state folder.
    learner : KeyedLearner
        The learner, with a copy of the shared models.
    changed : dict of str to KeyState or None
        States that changed since the last save; None for expired keys.
    saved : SavedStates
        The saved states.
    n_rows : int
        Number of learned rows.
    facts : Facts
        Description of the models.
    """

    at_once = 1 << 10  # smaller than for a single model, since states may have to be loaded

    def __init__(
        self,
        settings: Mapping[str, Any],
        learner: KeyedLearner,
        changed: Mapping[str, KeyState | None],
        saved: SavedStates,
        n_rows: int,
        facts: Facts,
    ):
        self._settings, self._learner = settings, learner
        self._changed, self._saved, self._facts = changed, saved, facts
        self.n_rows, self.is_ready = n_rows, n_rows > 0
        self._labels = labels_of(learner)

    def check(self, rows: Rows) -> None:
        """See `Reader`."""
        read(rows, self._settings, self._learner, labelled=True)

    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """Return for each row its ``label`` and ``votes``: own, global, or from another key."""
        found, _ = read(rows, self._settings, self._learner, labelled=False)
        predictions = self._learner.predict_rows(found, self._state)
        return predictions_of(predictions.labels, predictions.votes, self._labels)

    def facts(self) -> Facts:
        """See `Reader`."""
        return self._facts

    def _state(self, key: str) -> KeyState | None:
        if key in self._changed:
            return self._changed[key]
        return self._saved.state(key, self._learner)


def labels_of(learner: KeyedLearner) -> dict[str, Any]:
    """Return the labels of the global model by text; they are numbers if all of them can be."""
    classes = getattr(learner.shared.global_model, "classes_", ())
    texts = [str(label) for label in classes]
    kind = label_type({*texts})
    return {text: kind(text) for text in texts}


def predictions_of(
    labels: list[str | None], votes: list[str | None], known: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return predictions as JSON values."""
    return [
        {"label": None if label is None else known.get(label, label), "votes": source}
        for label, source in zip(labels, votes)
    ]
