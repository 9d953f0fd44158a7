"""Output of the predictions that a model makes before it learns the rows."""

from collections.abc import Mapping
from typing import Any

from driftlearn.ops.checkpoint.chunks import Part
from driftlearn.ops.checkpoint.waiting_rows import Predictions
from driftlearn.ops.sinks.sink import Done, Sink, sink_of
from driftlearn.ops.sources.source import STANDARD_INPUT


class PrequentialOutput:
    """Writes predictions to a sink, except those that it already has.

    Parameters
    ----------
    name : str or None
        The sink; None to write nothing.
    """

    def __init__(self, name: str | None):
        self.name = name
        self._sink: Sink | None = None
        self._done: dict[str, Done] = {}

    def open(
        self, owner: str, position: Mapping[str, Any], known: Mapping[str, Any], moved: Any
    ) -> None:
        """Open the sink and find out which predictions it has.

        Parameters
        ----------
        owner : str
            Identifies the model in the sink.
        position : dict
            How far the inputs were read.
        known : dict
            The same before inputs were removed that are reprocessed.
        moved : dict of str to str
            Former paths of moved inputs.
        """
        if self.name is None:
            return
        self._sink = sink_of(self.name, owner)
        self._done = self._sink.done_until(position)
        for path, former in moved.items():
            if former in self._done:
                self._done[path] = self._done.pop(former)
        for path in (*(known.keys() - position.keys()), STANDARD_INPUT):  # these start over
            self._done.pop(path, None)

    def write(self, classes: list[str], parts: list[Part], predictions: Predictions) -> None:
        """Write predictions for rows; their codes are positions in `classes`."""
        if self._sink is None:
            return
        codes, labels = predictions.codes.tolist(), [*classes, None]  # code -1 is the last: None
        predicted = [labels[code] for code in codes]
        sure = [None if k < 0 else p for k, p in zip(codes, predictions.confidence.tolist())]
        at = 0
        for part in parts:
            path, row, n = part.piece.path, part.piece.row + part.begin, part.n
            done = min(max(self._done.get(path, Done(0)).rows - row, 0), n)
            if done < n:
                rows = slice(at + done, at + n)
                columns = {"predicted": predicted[rows], "p": sure[rows]}
                self._sink.write(path, row + done, columns, None)
            at += n

    def flush(self) -> None:
        """Return when the sink has stored everything durably."""
        if self._sink is not None:
            self._sink.flush()

    def close(self) -> None:
        """Close the sink."""
        if self._sink is not None:
            self._sink.close()
