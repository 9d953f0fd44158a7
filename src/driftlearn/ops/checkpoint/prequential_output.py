"""What a kept model says of rows before it learns them, on its way to a sink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.chunks import Part
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.ops.sinks.sink import Done, Sink, sink_of
from driftlearn.ops.sources.files import STANDARD_INPUT


class Out:
    """Hands predictions to a sink, but those that it has.

    Parameters
    ----------
    name : str or None
        The sink; None if nobody wants to know.
    """

    def __init__(self, name: str | None):
        self.name = name
        self._sink: Sink | None = None
        self._done: dict[str, Done] = {}

    def open(
        self, owner: str, position: Mapping[str, Any], known: Mapping[str, Any], moved: Any
    ) -> None:
        """Find out what the sink has.

        Parameters
        ----------
        owner : str
            Whose predictions they are.
        position : dict
            Where the source was read to.
        known : dict
            The same before something was forgotten.
        moved : dict of str to str
            Where sources were before.
        """
        if self.name is None:
            return
        self._sink = sink_of(self.name, owner)
        self._done = self._sink.done_until(position)
        for path, old in moved.items():
            if old in self._done:
                self._done[path] = self._done.pop(old)
        for path in (*(known.keys() - position.keys()), STANDARD_INPUT):  # all of it is new
            self._done.pop(path, None)

    @property
    def is_wanted(self) -> bool:
        """Whether anybody wants to know."""
        return self.name is not None

    def write(
        self, kept: SavedModel, parts: list[Part], said: tuple[np.ndarray, np.ndarray]
    ) -> None:
        """Hand over what was said of rows, in the codes of the record."""
        if self._sink is None:
            return
        labels = [*kept.record.classes, None]
        predicted = [labels[code] for code in said[0].tolist()]
        sure = [None if code < 0 else p for code, p in zip(said[0].tolist(), said[1].tolist())]
        at = 0
        for part in parts:
            path, row, n = part.piece.path, part.piece.row + part.begin, part.end - part.begin
            done = min(max(self._done.get(path, Done(0)).rows - row, 0), n)
            if done < n:
                columns = {
                    "predicted": predicted[at + done : at + n],
                    "p": sure[at + done : at + n],
                }
                self._sink.write(path, row + done, columns, None)
            at += n

    def flush(self) -> None:
        """Return when all is in the sink for good."""
        if self._sink is not None:
            self._sink.flush()

    def close(self) -> None:
        """Let go of the sink."""
        if self._sink is not None:
            self._sink.close()
