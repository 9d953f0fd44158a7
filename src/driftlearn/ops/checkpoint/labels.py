"""Labels that come in a file of their own, joined to rows by a key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from driftlearn.ops.checkpoint.inputs import open_source
from driftlearn.ops.checkpoint.kept import Kept
from driftlearn.ops.checkpoint.tables import Prepared, check_column, columns_of
from driftlearn.ops.sources.piece import Piece

BATCH = 1_000  # labels that are learned at a time where rows are learned one by one


class LabelFile:
    """A file of keys and labels, read as far as rows for them have come.

    Parameters
    ----------
    name : str
        The file, or several as a folder or glob.
    settings : dict
        Those of the kept model.
    skip : bool
        Whether broken lines are passed over.
    """

    def __init__(self, name: str, settings: dict[str, Any], skip: bool):
        self.settings = settings
        self.source = open_source([name], settings, skip=skip)
        size = settings["chunk"]
        self._size = size if isinstance(size, int) else BATCH
        self._pieces: Iterator[Piece] | None = None
        self._piece: Prepared | None = None
        self._done = 0

    def come(
        self, kept: Kept, wait: bool
    ) -> Iterator[tuple[list[tuple[int, str]], Callable[[], None]]]:
        """Yield rows that wait, as (position, label), and what to call when they were learned.

        Parameters
        ----------
        kept : Kept
            The kept model.
        wait : bool
            Whether to stop at a label whose row has not come; if not, such labels are kept until
            it does.
        """
        yield from self._early(kept)
        position = kept.position["labels"]
        if self._pieces is None:
            self._pieces = self.source.pieces(position)
        while True:
            while self._piece is not None and self._done < self._piece.piece.n_rows:
                pairs, end, early = self._next(kept, self._piece, wait)
                if end == self._done:
                    return
                yield pairs, _settler(kept, position, self._piece.piece, end, early)
                self._done = end
            piece = next(self._pieces, None)
            if piece is None:
                self._piece, self._pieces = None, None
                return
            self._piece, self._done = self._prepared(piece), 0
            if not piece.n_rows:
                position[piece.path] = piece.after(0)

    def _prepared(self, piece: Piece) -> Prepared:
        if piece.n_rows:
            for key, what in (("by", "keys"), ("target", "labels")):
                check_column(self.settings[key], columns_of(piece.table), what, piece.path)
        return Prepared(piece, self.settings["target"], None, self.settings["by"])

    def _early(self, kept: Kept) -> Iterator[tuple[list[tuple[int, str]], Callable[[], None]]]:
        """Yield rows whose labels came before them."""
        early = kept.waiting.early
        if not early:
            return
        found = [(i, key) for i, key in enumerate(kept.waiting.tags) if key in early]
        if found:
            pairs = [(i, early[key]) for i, key in found]
            learned = {key for _, key in found}

            def settle() -> None:
                kept.waiting.early = {
                    key: label for key, label in early.items() if key not in learned
                }

            yield pairs, settle

    def _next(
        self, kept: Kept, prepared: Prepared, wait: bool
    ) -> tuple[list[tuple[int, str]], int, dict[str, str]]:
        """Return the next rows that have labels, how far that is, and labels without a row."""
        places: dict[str, int] = {}
        for i, tag in enumerate(kept.waiting.tags):
            places.setdefault(tag, i)
        pairs: list[tuple[int, str]] = []
        early: dict[str, str] = {}
        keys, labels, at = prepared.keys, prepared.labels, self._done
        while at < len(keys) and len(pairs) < self._size:
            key, label = keys[at], labels[at]
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


def _settler(
    kept: Kept, position: dict[str, Any], piece: Any, end: int, early: dict[str, str]
) -> Callable[[], None]:
    def settle() -> None:
        position[piece.path] = piece.after(end)
        waiting = {**kept.waiting.early, **early}
        over = len(waiting) - kept.settings["wait"]
        kept.waiting.early = dict([*waiting.items()][max(over, 0) :])

    return settle
