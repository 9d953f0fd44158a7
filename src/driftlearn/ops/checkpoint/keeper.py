"""Keeps a model up to date: reads what is new, tests and teaches the model, saves it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.io import dumps
from driftlearn.ops.checkpoint import teaching
from driftlearn.ops.checkpoint.folder import held, log
from driftlearn.ops.checkpoint.inputs import (
    forget_inputs,
    load_seen,
    moved_note,
    no_rows,
    numeric_columns,
    open_source,
    relocate,
    save_seen,
)
from driftlearn.ops.checkpoint.kept import MODEL, Kept
from driftlearn.ops.checkpoint.labels import LabelFile
from driftlearn.ops.checkpoint.out import Out
from driftlearn.ops.checkpoint.settings import agreed, begun
from driftlearn.ops.checkpoint.show import Show
from driftlearn.ops.checkpoint.tables import (
    Prepared,
    check_column,
    check_known,
    columns_of,
    hardly_repeated,
    in_file,
    kinds_of,
)
from driftlearn.ops.checkpoint.units import Part, Units
from driftlearn.ops.sources.piece import Piece
from driftlearn.ops.sources.server import without_password
from driftlearn.ops.sources.source import Source
from driftlearn.preprocessing.pipeline import make_pipeline
from driftlearn.preprocessing.table_encoder import TableEncoder
from driftlearn.specs.grammar import read
from driftlearn.utils.atomic_files import sweep
from driftlearn.utils.interrupts import uninterrupted

SAVE_SECONDS = 5.0
FILE_SECONDS = 0.5  # a folder of a thousand small files is not saved a thousand times
TABLE_ROWS = 1_000  # of a chunk of AutoClassifier where chunks are files or spans of time
SAVED = (KeyboardInterrupt, ValueError, ConnectionError)  # what was learned before is good


class Keeper:
    """One run of ``driftlearn learn``.

    Parameters
    ----------
    folder : path
        The state folder.
    files : list of str
        Files, folders, globs, ``"-"``, streams and topics; see `driftlearn.ops.sources.source_of`.
    given : dict
        The settings that were given; those of a kept model need not be.
    labels : str, optional
        A file of labels.
    forget : sequence of str
        Files that are to be read as if they were new.
    skip, follow : bool
        Whether broken lines are passed over, and whether to wait for more.
    out : str, optional
        Where the predictions made before each row is learned go; see
        `driftlearn.ops.sinks.sink_of`.
    show : Show
        Tells somebody who watches.
    save_seconds : float
        Seconds from one time the model is saved to the next.

    Attributes
    ----------
    kept : Kept or None
        The kept model, when there is one.
    before : int
        Rows that were learned before.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        files: list[str],
        given: dict[str, Any],
        *,
        labels: str | None = None,
        forget: tuple[str, ...] = (),
        skip: bool = False,
        follow: bool = False,
        out: str | None = None,
        show: Show | None = None,
        save_seconds: float = SAVE_SECONDS,
    ):
        self.folder, self.given, self.forget = Path(folder), given, forget
        self.files, self.labels = files, labels
        self._named = [*map(without_password, files)]
        self.skip, self.follow = skip, follow
        self.out = Out(out)
        self.show = show or Show()
        self.save_seconds = save_seconds
        self.kept: Kept | None = None
        self._at: dict[str, tuple[Piece, int]] = {}
        self._sources: list[Source] = []
        self._is_whole = True
        self._broken: list[tuple[str, str]] = []
        self.before = 0

    def run(self) -> Kept:
        """Learn all that is new; return the kept model."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with held(self.folder), self._closed_in_the_end():
            sweep(self.folder)
            self._open()
            self._log("begin", files=self._named)
            with self.show, self._saved_in_the_end():
                for source in self._sources:
                    source.tell = self._say
                for path, old in self._moved.items():
                    self._say(moved_note(path, old))
                self._learn_all()
            kept = self.kept
            if kept is None:
                raise no_rows(self.files, "learn")
            self._log("end", rows=kept.record.n_rows, **kept.record.accuracy())
            return kept

    def _open(self) -> None:
        """Read the kept model, or what a new one is to be; look at the files."""
        if Path(self.folder, MODEL).exists():
            self.kept = Kept.open(self.folder)
            self.before = self.kept.record.n_rows
            self.settings = agreed(self.kept.settings, self.given, str(self.folder))
        else:
            self.settings = begun(self.given, str(self.folder))
            self._new_learner()  # a wrong name is told before anything is read
        if (self.labels is None) != (self.settings["by"] is None):
            raise ValueError("labels in a file of their own need both --labels FILE and --by KEY")
        self.source = open_source(self.files, self.settings, skip=self.skip, follow=self.follow)
        self._sources.append(self.source)
        position = self.kept.position if self.kept else {"files": {}, "labels": {}}
        self._moved = relocate(self.source, position["files"])
        self.labels_file: LabelFile | None = None
        if self.labels is not None:
            self.labels_file = LabelFile(self.labels, self.settings, self.skip)
            # labels that are read again would wait for rows that were learned: any name will do
            self._moved |= relocate(self.labels_file.source, position["labels"], renamed=True)
            self._sources.append(self.labels_file.source)
        known = {**position["files"]}
        forget_inputs(self.forget, [*position.values()])
        load_seen(self.source, self.folder)
        self.source.check(position["files"])
        if self.labels_file is not None:
            self.labels_file.source.check(position["labels"])
        self.out.open(str(self.folder.resolve()), position["files"], known, self._moved)

    def _new_learner(self) -> Any:
        chunked = teaching.is_chunked(self.settings)
        learner = read(self.settings["learner"], "learner").make(seed=0)
        name = self.settings["learner"]
        if not hasattr(learner, "partial_fit") or not isinstance(learner, StreamClassifier):
            raise ValueError(
                f"{name} does not go on learning when labels come that are new; driftlearn list "
                "learners shows those that do"
            )
        dumps(learner)  # one that cannot be saved is told before anything is learned
        asked = learner.get_params(deep=False).get("chunk_size", 0)
        if not chunked and asked is None and isinstance(learner, ChunkClassifier):
            raise ValueError(
                f"{name} learns chunks of rows: say how many rows are one, as --chunk 500"
            )
        if not chunked and not hasattr(learner, "test_then_train"):
            raise ValueError(f"{name} does not learn row by row: say --chunk 500, for example")
        if chunked and asked == 1:
            size = self.settings["chunk"]
            learner.set_params(chunk_size=size if isinstance(size, int) else TABLE_ROWS)
        return learner

    def _learn_all(self) -> None:
        done = self.kept.counts["read"] if self.kept else 0
        aligned = done if self.labels is not None else None
        self._units = Units(self.settings["chunk"], self.settings["every"], aligned)
        self._saved = time.perf_counter()
        if self.kept is not None:
            self._tell_numbers()
        position = self.kept.position["files"] if self.kept else {}
        for piece in self.source.pieces(position):
            if not piece.path:  # nothing more at the moment
                self._labels_come(wait=False)
                self._save()
                continue
            self._check(piece)
            prepared = self._prepared(piece)
            for parts in self._units.cut(prepared):
                self._learn(parts)
            if piece.is_last:
                self._settle(position)
                self.show.file_done(piece.file)
                self._maybe_save(FILE_SECONDS)
            position = self._position(position)
        self._finish()

    def _finish(self) -> None:
        """Learn what does not fill a chunk."""
        self._learn(self._units.rest())
        self._labels_come(wait=False)

    def _position(self, position: dict[str, Any]) -> dict[str, Any]:
        """Let the source and the kept model, when there is one, share one position."""
        if self.kept is not None and self.kept.position["files"] is not position:
            position.update(self.kept.position["files"])
            self.kept.position["files"] = position
        return position

    def _prepared(self, piece: Piece) -> Prepared:
        target = None if self.labels is not None else self.settings["target"]
        return Prepared(piece, target, self.settings["time"], self.settings["by"])

    def _check(self, piece: Piece) -> None:
        """Raise unless a file has the columns that are needed."""
        if not piece.n_rows:
            return
        there = columns_of(piece.table)
        if self.labels is None:
            check_column(self.settings["target"], there, "the labels", piece.path)
        for key, what in (("time", "times"), ("by", "keys")):
            if self.settings[key] is not None:
                check_column(self.settings[key], there, what, piece.path)
        if self.kept is None:
            if len({*there} - {self.settings["target"]}) == 0:
                raise ValueError(f"{piece.path} has no column to learn from beside the labels")
            return
        check_known([*self.kept.encoder.kinds_], there, piece.path, self.folder)

    def _begin(self, prepared: Prepared) -> Kept:
        """Make the kept model, by the first rows."""
        stated = {**self.settings["kinds"]}
        if self.settings["by"] is not None:
            stated.setdefault(self.settings["by"], "drop")
        there = columns_of(prepared.features)
        for name in stated:
            check_column(name, there, "--kind or --drop", prepared.piece.path)
        with in_file(prepared.piece.path):
            kinds = kinds_of(prepared.features, stated)
        for name in hardly_repeated(prepared.features, kinds):
            if name not in stated:
                self._say(
                    f"hardly any value of column {name!r} comes twice, so nothing can be learned "
                    f"from it: leave it out with --drop {name}, or make columns of its words"
                )
        model = make_pipeline(TableEncoder(kinds=kinds, on_surprise="note"), self._new_learner())
        model.__dict__ = model._draft(start=True).__dict__
        return Kept(model, self.settings)

    def _learn(self, parts: list[Part]) -> None:
        """Learn a unit; whatever happens, it is learned as a whole or not at all."""
        full = [part for part in parts if part.end > part.begin]
        if full and self.kept is None:
            self.kept = self._begin(full[0].prepared)
        self._is_whole = False
        begun = time.perf_counter()
        with uninterrupted():
            if full and self.kept is not None:
                self._teach(self.kept, full)
            for part in parts:
                self._at[part.piece.path] = part.piece, part.end
                for said in part.piece.passed(part.begin, part.end):
                    self._broken.append((part.piece.file, said))
            self._note_broken()
            self._is_whole = True
        if full and self.kept is not None:
            self._units.took(time.perf_counter() - begun)
            self.show.rows(self.kept, full[-1].piece.file)
            self._tell_numbers()
            self._labels_come(wait=True)
            self._maybe_save(self.save_seconds)

    def _teach(self, kept: Kept, parts: list[Part]) -> None:
        X, surprises = teaching.taken_in(kept, parts)
        for each in surprises:
            self._say(str(each))
        kept.counts["late"] += self._units.n_late
        self._units.n_late = 0
        said = teaching.taught(kept, parts, X, self.labels is not None, self.out.is_wanted)
        self.out.write(kept, parts, said)

    def _labels_come(self, wait: bool) -> None:
        """Learn rows whose labels are in the file of labels by now."""
        if self.labels_file is None or self.kept is None:
            return
        chunked = teaching.is_chunked(self.settings)
        for pairs, settle in self.labels_file.come(self.kept, wait):
            self._is_whole = False
            with uninterrupted():
                if pairs:
                    teaching.learn_labelled(self.kept, pairs, chunked)
                settle()
                self._is_whole = True
            self.show.rows(self.kept, "")

    def _note_broken(self) -> None:
        if self.kept is not None:
            for file, said in self._broken:
                self.kept.counts["broken"] += 1
                self.kept.note("broken", said, file)
                self._say(f"{said}; it is passed over")
            self._broken = []

    def _tell_numbers(self) -> None:
        assert self.kept is not None
        kinds = self.kept.encoder.kinds_
        roles = (self.settings["target"], self.settings["by"])
        self.source.numbers = numeric_columns(kinds, roles)

    def _settle(self, position: dict[str, Any]) -> None:
        """Move the position to the last rows that were learned."""
        for path, (piece, end) in self._at.items():
            if path != "-":
                position[path] = piece.after(end)
        self._at = {}

    def _maybe_save(self, seconds: float) -> None:
        if time.perf_counter() - self._saved >= seconds:
            self._save()

    def _save(self) -> None:
        if self.kept is None:
            return
        self._settle(self.kept.position["files"])
        self.out.flush()
        try:
            self.kept.save(self.folder)
        except OSError as error:
            said = f"{error.strerror}; the kept model is as it was when it was last saved"
            raise OSError(error.errno, said, error.filename) from error
        self._saved = time.perf_counter()
        self.source.settled(self.kept.position["files"])
        if self.labels_file is not None:
            self.labels_file.source.settled(self.kept.position["labels"])
        save_seen(self.source, self.folder)

    @contextmanager
    def _closed_in_the_end(self) -> Iterator[None]:
        """Let go of sources and sink when all is saved."""
        try:
            yield
        finally:
            self.out.close()
            for source in self._sources:
                source.close()

    @contextmanager
    def _saved_in_the_end(self) -> Iterator[None]:
        """Save the model when all is learned, and when something stops that."""
        try:
            yield
        except BaseException as problem:
            if isinstance(problem, KeyboardInterrupt) and self.follow and self._is_whole:
                self._finish()
            if isinstance(problem, SAVED) and self._is_whole:
                self._save()
            self._log("stopped", why=str(problem) or type(problem).__name__)
            raise
        self._save()

    def _say(self, text: str) -> None:
        self.show.note(text)
        self._log("note", text=text)

    def _log(self, what: str, **more: Any) -> None:
        log(self.folder, what, **more)
