"""Keys learn in one process, over SQLite: the embedded default of ``driftlearn learn --key``."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.folder import held
from driftlearn.ops.checkpoint.keeper import SAVE_SECONDS, SEEN
from driftlearn.ops.checkpoint.settings import agreed
from driftlearn.ops.checkpoint.tables import (
    check_column,
    columns_of,
    hardly_repeated,
    in_file,
    sliced,
    without,
)
from driftlearn.ops.keyed.key_store import Aside, KeyStore
from driftlearn.ops.keyed.keyed_learner import LOOK, KeyedLearner
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.predictions import Predictions, Where
from driftlearn.ops.keyed.reader import read_piece
from driftlearn.ops.keyed.rows import Rows
from driftlearn.ops.keyed.settings import STORE, Request, begun
from driftlearn.ops.sources.piece import Piece
from driftlearn.ops.sources.server import is_server, without_password
from driftlearn.ops.sources.source import Source, forget, source_of
from driftlearn.tables.frames import frame_of
from driftlearn.utils.interrupts import uninterrupted

BATCH = 200_000  # rows that are learned at a time
MOST = 1_000_000  # where a batch has few rows of each key
MANY = 8  # rows of a key in a batch: then what a call costs no longer matters
SAVING = 0.2  # of the time, at most, goes into saving


def run(request: Request) -> KeyedModels:
    """Learn all that is new; return the models."""
    return LocalRun(request).run()


class LocalRun:
    """One run of ``driftlearn learn --key`` in this process.

    Parameters
    ----------
    request : Request
        What is asked for.
    batch : int
        Rows that are learned at a time; nothing but speed and memory depends on it.
    save_seconds : float
        Seconds from one time that all is saved to the next, at least.
    renew : int, optional
        As in `KeyedModels`.

    Attributes
    ----------
    models : KeyedModels
        The models, when it is known what the columns hold.
    before : int
        Rows that were read before.
    """

    def __init__(
        self,
        request: Request,
        *,
        batch: int = BATCH,
        save_seconds: float = SAVE_SECONDS,
        renew: int | None = None,
    ):
        self.request, self.folder, self.show = request, request.folder, request.show
        self.batch, self.save_seconds, self.renew = batch, save_seconds, renew
        self._at: dict[str, tuple[Piece, int]] = {}
        self._is_whole = self._told_ahead = False
        self.store: Any = None
        self._out: Predictions | None = None
        self._sources: list[Source] = []

    def run(self) -> KeyedModels:
        """Learn all that is new; return the models."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with held(self.folder), self._closed_after_an_error():
            self._open()
            with self.show:
                self._learn_all()
            if not self.models.counts["rows"]:
                files = ", ".join(self.source.names)
                raise ValueError(f"there are no rows in {files}: nothing to learn")
            return self.models

    def _open(self) -> None:
        """Read what is known, or what new keys are to be; look at the files."""
        request, path = self.request, self.folder / STORE
        if not path.exists():
            self.settings = begun(request.given, self.folder)
            self._new_learner()  # a wrong name is told before anything is made
            self._source().check({})
        self.store = KeyStore(path)
        known = self.store.about("settings")
        if known is None:
            self.settings = begun(request.given, self.folder)
            self.store.put_about("settings", json.dumps(self.settings).encode())
        else:
            self.settings = agreed(json.loads(known), request.given, str(self.folder))
        self.source = self._source()
        self.models = KeyedModels(
            None if self.store.about("learner") else self._new_learner(), self.store,
            memory=request.memory, idle=self.settings["idle"],
            renew=self.renew,
        )  # fmt: skip
        self.before = self.models.counts["rows"]
        self._is_known = self.store.about("learner") is not None
        self._take_up_positions()
        if request.out is not None:
            self._take_up_out(request.out)

    def _take_up_out(self, out: str) -> None:
        """Go on writing predictions."""
        self._out = Predictions(out, self.store)

    def _source(self) -> Source:
        form = {name: self.settings[name] for name in ("sep", "encoding", "missing")}
        request = self.request
        source = source_of(request.files, skip=request.skip, follow=request.follow, **form)
        source.tell = self.show.note
        self._sources.append(source)
        return source

    def _new_learner(self) -> KeyedLearner:
        return KeyedLearner(self.settings["learner"], chunk=self.settings["chunk"])

    def _take_up_positions(self) -> None:
        """Find files again that were moved, forget those that are to be read anew."""
        position = {path: at for path, at in self.store.positions().items() if "digest" in at}
        moved = self.source.moved(position)
        for path, old in moved.items():
            position[path] = position.pop(old)
            self.store.put_positions({old: None, path: position[path]})
            gone = "" if is_server(old) else ", which is gone"
            self.show.note(f"{path} was read as {old}{gone}: only new rows are learned")
        known = {**position}
        for name in self.request.forget:
            if not forget(name, position):
                raise ValueError(
                    f"{without_password(name)} was never read: there is nothing to forget of it"
                )
        self.store.put_positions(dict.fromkeys(known.keys() - position.keys()))
        with suppress(OSError, ValueError):
            self.source.verified = json.loads(Path(self.folder, SEEN).read_text("utf-8"))
        self.source.check(position)
        self.position = position

    def _learn_all(self) -> None:
        self._saved, self._took = time.perf_counter(), 0.0
        self._is_whole = True
        pieces: list[Piece] = []
        if self._is_known:
            self._tell_numbers()
        for piece in self.source.pieces(self.position):
            if piece.path:
                self._check(piece)
                pieces.append(piece)
            n = sum(each.n_rows for each in pieces)
            if not self._is_known and n >= LOOK:
                self._look(pieces)
            if n >= self.batch or not piece.path:
                self._learn(pieces)
                pieces = []
                self._maybe_save(0.0 if not piece.path else self.save_seconds)
        self._learn(pieces)
        self.models.sweep()
        self._save()

    def _check(self, piece: Piece) -> None:
        """Raise unless the first file has the columns that are needed."""
        if not piece.n_rows or self._is_known:
            return
        there = columns_of(piece.table)
        check_column(self.settings["target"], there, "the labels", piece.path)
        check_column(self.settings["key"], there, "the keys", piece.path)
        if self.settings["time"] is not None:
            check_column(self.settings["time"], there, "times", piece.path)
        for name in self.settings["kinds"]:
            check_column(name, there, "--kind or --drop", piece.path)

    def _look(self, pieces: list[Piece]) -> None:
        """Find out what the columns hold, by the first rows of the stream."""
        columns: dict[str, list[Any]] = {}
        left = LOOK
        for piece in pieces:
            n = min(left, piece.n_rows)
            if n:
                some = frame_of(sliced(self._features(piece), 0, n))
                for name, raw in zip(some.names or [], some.columns):
                    columns.setdefault(name, []).extend(raw.values.tolist())
            left -= n
        if not columns:
            return
        if len({len(values) for values in columns.values()}) > 1:
            raise ValueError(
                f"{pieces[0].path} and the files after it have different columns, and together "
                f"fewer than {LOOK:,} rows: give the one with all columns first"
            )
        table = {name: np.array([*values, None], dtype=object)[:-1]
                 for name, values in columns.items()}  # fmt: skip
        stated = self.settings["kinds"]
        with in_file(pieces[0].path):
            new = KeyedLearner(self.settings["learner"], kinds=stated, chunk=self.settings["chunk"])
            learner = new.look(table)
            learner.begin()
        for name in hardly_repeated(table, learner.kinds or {}):
            if name not in stated:
                self.show.note(
                    f"hardly any value of column {name!r} comes twice, so nothing can be learned "
                    f"from it: leave it out with --drop {name}, or make columns of its words"
                )
        for name, kind in (learner.kinds or {}).items():
            if kind == "drop" and name not in stated:
                self.show.note(
                    f"column {name!r} has no value in the first {LOOK:,} rows and is left out: "
                    f"--kind {name}=number, for example, says what will come"
                )
        self.models.learner = learner
        self._is_known = True
        self._tell_numbers()

    def _features(self, piece: Piece) -> Any:
        return without(without(piece.table, self.settings["target"]), self.settings["key"])

    def _tell_numbers(self) -> None:
        kinds = self.models.learner.kinds or {}
        roles = {self.settings["target"], self.settings["key"]}
        self.source.numbers = {name for name, kind in kinds.items() if kind == "number"} - roles

    def _learn(self, pieces: list[Piece]) -> None:
        """Learn the rows of pieces; whatever happens, all of them or none."""
        full = [piece for piece in pieces if piece.n_rows]
        if full and not self._is_known:
            self._look(full)
        self._is_whole = False
        with uninterrupted():
            self._put_broken_aside(pieces)
            if full:
                kinds = self.models.learner.kinds or {}
                parts = [read_piece(piece, self.settings, kinds) for piece in full]
                rows = Rows.joined([part for part, _ in parts])
                times = None
                if self.settings["time"] is not None:
                    times = np.concatenate([each for _, each in parts])
                where = Where(full)
                answers = self.models.learn_rows(rows, times, where)
                if self._out is not None:
                    self._out.add(rows, answers, where)
                self._grow(rows)
            for piece in pieces:
                self._at[piece.path] = piece, piece.n_rows
            self._is_whole = True
        if full:
            self.show.rows(self.models, full[-1].file)
        self._tell_time_ahead()
        for piece in pieces:
            if piece.is_last:
                self.show.file_done(piece.file)

    def _put_broken_aside(self, pieces: list[Piece]) -> None:
        at = self.models.counts["rows"]
        broken = []
        for piece in pieces:
            broken += [Aside(at + k, piece.file, None, None, said) for k, said in piece.broken]
            at += piece.n_rows
        self.models.put_aside(broken)

    def _tell_time_ahead(self) -> None:
        """Say once that times of rows are far ahead of those around them."""
        ahead = self.models.clock.ahead
        if ahead is not None and not self._told_ahead:
            self._told_ahead = True
            self.show.note(
                f"column {self.settings['time']!r} has {np.datetime64(ahead, 'us')!s:.19}, more "
                f"than --idle {self.settings['idle']} ahead of the rows around it: it "
                "makes no key old"
            )

    def _grow(self, rows: Rows) -> None:
        """Take longer batches where keys have few rows in one: a call costs more than a row."""
        if len(rows) >= self.batch >= BATCH and len(rows) < MANY * len({*rows.keys}):
            self.batch = min(2 * self.batch, MOST)

    def _maybe_save(self, seconds: float) -> None:
        if time.perf_counter() - self._saved >= max(seconds, self._took / SAVING):
            self._save()

    def _save(self) -> None:
        begun = time.perf_counter()
        positions: dict[str, Any] = {
            path: piece.after(end) for path, (piece, end) in self._at.items() if path != "-"
        }
        if self._out is not None:
            positions |= self._out.settled()
        self.models.commit(positions)
        self.source.settled({path: at for path, at in positions.items() if "digest" in at})
        self._at = {}
        self._saved = time.perf_counter()
        self._took = self._saved - begun
        with suppress(OSError):
            Path(self.folder, SEEN).write_text(json.dumps(self.source.verified), "utf-8")

    @contextmanager
    def _closed_after_an_error(self) -> Iterator[None]:
        """Save what is whole when Ctrl-C stops the run; after any error forget what is not."""
        try:
            yield
        except BaseException as problem:
            if isinstance(problem, KeyboardInterrupt) and self._is_whole:
                self._save()
            if self.store is not None:
                self.store.close()
            raise
        finally:
            if self._out is not None:
                self._out.close()
            for source in self._sources:
                source.close()
