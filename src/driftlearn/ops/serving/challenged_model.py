"""Serving of a saved model whose challenger learns the same requests."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from driftlearn.inspection.inspection import Inspection
from driftlearn.ops.checkpoint.saved_model import MODEL, log_event
from driftlearn.ops.checkpoint.versions import CHALLENGER
from driftlearn.ops.serving.request_rows import Rows, parse_rows
from driftlearn.ops.serving.served_model import Facts
from driftlearn.ops.serving.single_model import RECENT, SingleModel, SingleReader
from driftlearn.ops.serving.write_ahead_log import NAME, entries_of


class ChallengedModel(SingleModel):
    """Saved model of a service with its challenger.

    The challenger is saved after the model. If the service ends between the two, the challenger
    learns the missing requests from the write-ahead log, which is cleared only after both saves. An
    error of the challenger ends its training and does not affect the model.

    Parameters
    ----------
    folder : Path
        The state folder.

    Attributes
    ----------
    challenger : SingleModel or None
        The challenger; None after an error, or if requests are missing in the log.
    """

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.challenger: SingleModel | None = SingleModel(folder / CHALLENGER)
        position = self.challenger.position
        missing = [
            each for each in entries_of(folder / NAME)
            if position.sequence < each.sequence <= self.position.sequence
        ]  # fmt: skip
        for each in missing:
            rows = parse_rows(each.body, logged=True)
            self._learn_challenger([rows])
            position.advance(each.sequence, rows.n, each.key, each.body)
        if position.sequence != self.position.sequence:
            self._drop_challenger("requests that the model has learned are missing in the log")
        if self.challenger is not None:
            self.challenger.position = self.position  # both learn every request from here on

    def learn(self, requests: Sequence[Rows]) -> list[dict[str, Any]]:
        """See `ServedModel`."""
        found = super().learn(requests)
        self._learn_challenger(requests)
        return found

    def save(self) -> None:
        """See `ServedModel`."""
        super().save()
        if self.challenger is not None:
            self.challenger.save()

    def reader(self) -> SingleReader:
        """See `ServedModel`."""
        found = super().reader()
        if self.challenger is None:
            return found
        record = self.challenger.saved.record
        shares = {"all": record.accuracy()["model"], "recent": record.accuracy(RECENT)["model"]}
        return ChallengedReader(
            found, {("challenger", k): share for k, share in shares.items() if share is not None}
        )

    def _learn_challenger(self, requests: Sequence[Rows]) -> None:
        if self.challenger is None:
            return
        try:
            self.challenger.learn(requests)
        except Exception as problem:
            self._drop_challenger(str(problem))

    def _drop_challenger(self, why: str) -> None:
        """End the training of the challenger, whose file is unchanged."""
        self.challenger = None
        log_event(self.folder, "challenger stopped", why=why)


class ChallengedReader(SingleReader):
    """Snapshot of a saved model, with the accuracy of its challenger.

    Parameters
    ----------
    reader : SingleReader
        Snapshot of the model.
    accuracy : dict of (str, str) to float
        Accuracy of the challenger; see `Facts`.
    """

    def __init__(self, reader: SingleReader, accuracy: dict[tuple[str, str], float]):
        self.__dict__ = reader.__dict__
        self._accuracy = accuracy

    def facts(self) -> Facts:
        """See `Reader`."""
        found = super().facts()
        return replace(found, accuracy={**found.accuracy, **self._accuracy})

    def inspection(self) -> Inspection | None:
        """See `Reader`."""
        found = super().inspection()
        if found is not None and "accuracy" in found.facts:
            for fact, window in (("accuracy", "all"), ("recent accuracy", "recent")):
                found.facts[fact]["challenger"] = self._accuracy.get(("challenger", window))
        return found


def open_model(folder: Path) -> SingleModel:
    """Return the saved model of a state folder, with its challenger if there is one."""
    has_challenger = (folder / CHALLENGER / MODEL).exists()
    return ChallengedModel(folder) if has_challenger else SingleModel(folder)
