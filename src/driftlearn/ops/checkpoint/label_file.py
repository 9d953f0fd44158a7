"""Labels from a separate file, joined to rows by a key."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from driftlearn.ops.checkpoint.inputs import TablePiece, check_column, open_source
from driftlearn.ops.checkpoint.label_history import FILE, hash_of, time_in_name
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

    Attributes
    ----------
    corrections : list of str
        Descriptions of labels that changed after their rows were learned.
    """

    def __init__(self, name: str, settings: dict[str, Any], skip: bool, **options: bool):
        self.settings = settings
        self.corrections: list[str] = []
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
        history = saved.label_history
        labels, learned = dict(saved.waiting.early_labels), history.learned()
        for _, tag, name in history.pop_known():
            if not self._is_correction(saved, learned, tag, name, needed):
                labels[tag] = name
        found = labels.keys() | history.later_keys
        room = self.settings["wait"] - len(found - needed)
        missing = needed - found
        position = saved.position["labels"]
        if self._pieces is None:
            self._pieces = self.source.pieces(position)
        while missing and room > 0:
            if self._rows is None or self._done == self._rows.piece.n_rows:
                piece = next(self._pieces, None)
                if piece is None:
                    self._rows, self._pieces = None, None
                    break
                self._rows, self._done = self._checked(piece), 0
            rows, n = self._rows, self._rows.piece.n_rows
            times = self._times(rows, self._done, history.now)
            for time, at in zip(times, range(self._done, n)):
                if not missing or room <= 0:
                    break
                self._done = at + 1
                key, label = rows.keys[at], rows.labels[at]
                if key is None or label is None:
                    continue
                if time > history.now:
                    history.later.append([time, key, label])
                elif self._is_correction(saved, learned, key, label, needed):
                    continue
                else:
                    labels[key] = label
                room -= key not in missing
                missing.discard(key)
            position[rows.piece.path] = rows.piece.after(self._done)
        saved.waiting.early_labels = labels
        return labels

    def _times(self, rows: TablePiece, begin: int, now: str) -> list[str]:
        """Return the times from which labels are known, "" for labels without a time."""
        piece = rows.piece
        if begin == piece.n_rows:  # the end of a file
            return []
        if self.settings.get("label_time") != FILE:
            return rows.time_texts(begin, piece.n_rows) or [""] * (piece.n_rows - begin)
        time = time_in_name(piece.file)
        if now and len(time) != len(now):
            raise ValueError(
                f"{piece.path}: the dates in the names of files of labels and of rows must have "
                f"the same form. Got {time} and {now}."
            )
        return [time] * (piece.n_rows - begin)

    def _is_correction(
        self, saved: SavedModel, learned: dict[int, int], key: str, label: str, needed: set[str]
    ) -> bool:
        """Return whether the row of a label was learned; count the label if it has changed."""
        code = None if key in needed or not learned else learned.get(hash_of(key))
        if code is None:
            return False
        former = saved.record.classes[code]
        if label != former:
            saved.counts["corrected"] += 1
            self.corrections.append(f"{former!r} to {label!r} for {key!r}")
        return True

    def _checked(self, piece: Piece) -> TablePiece:
        target, by, time = map(self.settings.get, ("target", "by", "label_time"))
        time = None if time == FILE else time
        if piece.n_rows:
            for name, what in ((by, "keys"), (target, "labels"), (time, "times of labels")):
                if name is not None:
                    check_column(name, [*piece.table], what, piece.path)
        return TablePiece(piece, target, time, by)

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
