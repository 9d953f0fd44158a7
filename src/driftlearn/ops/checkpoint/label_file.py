"""Labels from a separate file, joined to rows by a key."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from driftlearn.ops.checkpoint.inputs import TablePiece, check_column, open_source
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.tables.files import Piece

BATCH = 1_000  # labels per training step for learners that train row by row
#: Positions of waiting rows with their labels, and a function to call after training on them.
Match = tuple[list[tuple[int, str]], Callable[[], None]]


class LabelFile:
    """File of keys and labels, which are matched to waiting rows.

    Parameters
    ----------
    name : str
        A file, folder or glob.
    settings : dict
        The settings of the saved model.
    skip : bool
        Whether to skip broken lines.
    **options
        See `driftlearn.ops.sources.source_of`.
    """

    def __init__(self, name: str, settings: dict[str, Any], skip: bool, **options: bool):
        self.settings = settings
        self.source = open_source([name], settings, skip=skip, **options)
        size = settings["chunk"]
        self._size = size if isinstance(size, int) else BATCH
        self._pieces: Iterator[Piece] | None = None
        self._rows: TablePiece | None = None
        self._done = 0

    def matches(self, saved: SavedModel, wait: bool) -> Iterator[Match]:
        """Yield waiting rows whose labels have arrived, and a function to call after training.

        Parameters
        ----------
        saved : SavedModel
            The model.
        wait : bool
            Whether to stop at a label whose row has not arrived. Otherwise the label is stored
            until its row arrives.
        """
        early, tags = saved.waiting.early_labels, saved.waiting.tags
        pairs = [(i, early[key]) for i, key in enumerate(tags) if key in early]
        if pairs:  # rows whose labels arrived before the rows
            known = {*tags}
            rest = {key: label for key, label in early.items() if key not in known}
            yield pairs, partial(setattr, saved.waiting, "early_labels", rest)
        position = saved.position["labels"]
        if self._pieces is None:
            self._pieces = self.source.pieces(position)
        while True:
            while self._rows is not None and self._done < self._rows.piece.n_rows:
                pairs, end, early = self._next(saved, self._rows, wait)
                if end == self._done:
                    return
                yield pairs, partial(self._settle, saved, self._rows.piece, end, early)
                self._done = end
            piece = next(self._pieces, None)
            if piece is None:
                self._rows, self._pieces = None, None
                return
            self._rows, self._done = self._checked(piece), 0
            if not piece.n_rows:
                position[piece.path] = piece.after(0)

    def read(self, saved: SavedModel, needed: set[str]) -> dict[str, str]:
        """Read labels until all keys that are needed have one; return the labels that are known.

        At most `wait` labels of other rows are stored. Where reading stops does not depend on how
        the file is cut into pieces, so that a resumed run reads the same labels.
        """
        labels = dict(saved.waiting.early_labels)
        room = self.settings["wait"] - len(labels.keys() - needed)
        needed = needed - labels.keys()
        position = saved.position["labels"]
        if self._pieces is None:
            self._pieces = self.source.pieces(position)
        while needed and room > 0:
            if self._rows is None or self._done == self._rows.piece.n_rows:
                piece = next(self._pieces, None)
                if piece is None:
                    self._rows, self._pieces = None, None
                    break
                self._rows, self._done = self._checked(piece), 0
            rows, n = self._rows, self._rows.piece.n_rows
            while self._done < n and needed and room > 0:
                key, label = rows.keys[self._done], rows.labels[self._done]
                if key is not None and label is not None:
                    room -= key not in needed
                    labels[key] = label
                    needed.discard(key)
                self._done += 1
            position[rows.piece.path] = rows.piece.after(self._done)
        saved.waiting.early_labels = labels
        return labels

    def _checked(self, piece: Piece) -> TablePiece:
        if piece.n_rows:
            for key, what in (("by", "keys"), ("target", "labels")):
                check_column(self.settings[key], [*piece.table], what, piece.path)
        return TablePiece(piece, self.settings["target"], None, self.settings["by"])

    def _settle(self, saved: SavedModel, piece: Piece, end: int, early: dict[str, str]) -> None:
        """Move the position past labels that were used for training; store labels without a row."""
        saved.position["labels"][piece.path] = piece.after(end)
        labels = {**saved.waiting.early_labels, **early}
        excess = max(len(labels) - saved.settings["wait"], 0)
        saved.waiting.early_labels = dict([*labels.items()][excess:])

    def _next(
        self, saved: SavedModel, rows: TablePiece, wait: bool
    ) -> tuple[list[tuple[int, str]], int, dict[str, str]]:
        """Return the next (row, label) pairs, the position after them, and labels without a row."""
        tags = saved.waiting.tags
        # the first place of each tag
        places = dict(zip(reversed(tags), range(len(tags) - 1, -1, -1)))
        pairs: list[tuple[int, str]] = []
        early: dict[str, str] = {}
        at = self._done
        while at < len(rows.keys) and len(pairs) < self._size:
            key, label = rows.keys[at], rows.labels[at]
            if key is not None and label is not None:
                place = places.pop(key, None)
                if place is not None:
                    pairs.append((place, label))
                elif wait:
                    break
                else:
                    early[key] = label
            at += 1
        return pairs, at, early
