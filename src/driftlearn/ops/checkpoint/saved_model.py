"""A model that is kept up to date in a state folder, and all that must move together with it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from driftlearn import io as persist
from driftlearn.inspection.feature_record import FeatureRecord
from driftlearn.io.schema import Field, InvalidStateError, a, anything, list_of, optional
from driftlearn.ops.checkpoint.record import Record
from driftlearn.ops.checkpoint.waiting_rows import WaitingRows
from driftlearn.preprocessing.pipeline import IncrementalPipeline

MODEL, LOG, LOCK = "model.npz", "log.jsonl", "model"
EVENTS = ("class", "surprise", "broken")
MOST_EVENTS = 500  # of a kind


class SavedModel:
    """A kept model: the pipeline, and how far it is in which files.

    It is one file, ``model.npz`` in its state folder, written at one stroke: model and position
    move together, so that after a kill no row is lost and none comes twice. There is no clock in
    it; it has the bytes of a run that nothing disturbed.

    Parameters
    ----------
    model : IncrementalPipeline
        A `TableEncoder` and a learner.
    settings : dict
        What `driftlearn learn` was asked for, as far as it must stay the same.

    Attributes
    ----------
    model : IncrementalPipeline
        The pipeline.
    settings : dict
        ``target``, ``learner`` (as text), ``chunk``, ``every``, ``time``, ``delay`` and so on.
    position : dict
        Which rows of which ``files``, and ``labels`` if they come by themselves, were read: by
        path, as `driftlearn.ops.sources` gives them.
    record : Record
        How it did, over time, and where its rows were.
    events : list of dict
        What a person might want to know, by kind, of each the newest 500: ``what`` ("class",
        "surprise", "broken"), ``text``, ``file`` and ``row`` of that file, ``after`` how many
        learned rows, where known.
    features : FeatureRecord or None
        The distributions of the columns over time.
    waiting : WaitingRows
        Rows that were predicted and wait for their labels.
    counts : dict of str to int
        ``read`` rows, ``unlabelled`` ones, ``broken`` lines, ``late`` rows that came after their
        span, ``given up`` ones whose label never came.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "model": a(IncrementalPipeline),
        "settings": anything(),
        "position": anything(),
        "record": a(Record),
        "events": list_of(anything()),
        "features": optional(a(FeatureRecord), needed=True),
        "waiting": a(WaitingRows),
        "counts": anything(),
    }

    def __init__(self, model: IncrementalPipeline, settings: dict[str, Any]):
        self.model = model
        self.settings = settings
        self.position: dict[str, Any] = {"files": {}, "labels": {}}
        self.record = Record()
        self.events: list[dict[str, Any]] = []
        self.features: FeatureRecord | None = FeatureRecord()
        self.waiting = WaitingRows()
        self.counts = dict.fromkeys(("read", "unlabelled", "broken", "late", "given up"), 0)

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless settings, position and counts are dicts of plain values."""
        for name in ("settings", "position", "counts"):
            if type(state.get(name)) is not dict:
                raise InvalidStateError(f"a kept model whose {name} are no dict")

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, allow: str | Iterable[str] = ()) -> SavedModel:
        """Read a kept model; nobody who works on it is disturbed.

        Parameters
        ----------
        folder : path
            The state folder.
        allow : str or iterable of str
            Packages whose classes may be loaded, as in `driftlearn.io.load`.
        """
        path = Path(folder, MODEL)
        if not path.is_file():
            raise FileNotFoundError(
                f"there is no kept model in {folder}: driftlearn learn FILES --target COLUMN "
                f"--state {folder} makes one"
            )
        kept = persist.load(path, allow=allow)
        if not isinstance(kept, cls):
            raise ValueError(f"{path} holds a {type(kept).__name__}, no kept model")
        return kept

    def save(self, folder: str | os.PathLike[str], *, allow: str | Iterable[str] = ()) -> None:
        """Write it at one stroke."""
        persist.save(self, Path(folder, MODEL), allow=allow)

    @property
    def encoder(self) -> Any:
        """The first step of the pipeline."""
        return self.model.steps_[0][1]

    @property
    def learner(self) -> Any:
        """The last step of the pipeline."""
        return self.model.steps_[-1][1]

    def note(
        self,
        what: str,
        text: str,
        file: str | None = None,
        row: int | None = None,
        after: int | None = None,
    ) -> None:
        """Take note of an event."""
        event = {"what": what, "text": text, "file": file, "row": row, "after": after}
        every = [*self.events, event]
        # by kind: in which order those of different kinds are met depends on how rows are sliced
        self.events = [
            each
            for kind in EVENTS
            for each in [one for one in every if one["what"] == kind][-MOST_EVENTS:]
        ]
