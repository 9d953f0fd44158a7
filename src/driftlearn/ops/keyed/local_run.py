"""``driftlearn learn --key`` in one process, with an SQLite store (the default)."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint import inputs
from driftlearn.ops.checkpoint.learn_run import SAVE_SECONDS
from driftlearn.ops.checkpoint.saved_model import STORE, checked_settings, locked_folder
from driftlearn.ops.checkpoint.schema_checks import check_target, note_formats, note_leaks
from driftlearn.ops.keyed import KeyedModels, KeyStore
from driftlearn.ops.keyed.keyed_learner import FIRST_ROWS, KeyedLearner
from driftlearn.ops.keyed.new_labels import Labels
from driftlearn.ops.keyed.predictions import PredictionFile
from driftlearn.ops.keyed.reader import broken_lines, known_columns, learning_changes, read_pieces
from driftlearn.ops.keyed.settings import Request, new_settings
from driftlearn.ops.sources.files import FileSource
from driftlearn.ops.sources.source import Source
from driftlearn.preprocessing._table_check import policy_of, sentence
from driftlearn.tables.files import Piece
from driftlearn.tables.frames import frame_of
from driftlearn.utils.interrupts import uninterrupted
from driftlearn.utils.table import objects

# Rows per training batch. Nothing is saved during a batch, and Ctrl-C waits for its end, so that it
# should not take longer than the time between two saves.
FIRST_BATCH = 1_000
MAX_BATCH = 200_000
ROWS_PER_KEY = 8  # with more rows per key, the cost of a call hardly matters
# Limits, in rows and seconds, while a batch has fewer rows per key
FEW_BATCH, FEW_SECONDS = 1_000_000, 60.0
GROWTH = 4  # maximum ratio of two consecutive batches
SAVING = 0.2  # maximum ratio of the time for a save to the time since the previous save


def next_batch(n_rows: int, n_keys: int, seconds: float, save_seconds: float) -> int:
    """Return the size of the next batch, given that of the last one and its duration."""
    most, longest = MAX_BATCH, save_seconds
    if n_rows < ROWS_PER_KEY * n_keys:
        # A call for a key costs more than a row, and longer batches have more rows per key.
        most, longest = FEW_BATCH, FEW_SECONDS
    by_time = int(n_rows * longest / max(seconds, 1e-6))
    return max(FIRST_BATCH, min(GROWTH * n_rows, by_time, most))


class LocalRun:
    """One run of ``driftlearn learn --key`` in this process.

    Parameters
    ----------
    request : Request
        The arguments of the command.
    batch : int, optional
        Number of rows to process at once, which affects only speed and memory. By default it is
        adapted to the speed of training.
    save_seconds : float
        Minimum seconds between two saves.
    refresh_interval : int, optional
        See `KeyedModels`.

    Attributes
    ----------
    models : KeyedModels
        The models.
    before : int
        Number of rows read in earlier runs.
    """

    def __init__(
        self,
        request: Request,
        *,
        batch: int | None = None,
        save_seconds: float = SAVE_SECONDS,
        refresh_interval: int | None = None,
    ):
        self.request, self.folder, self.progress = request, request.folder, request.progress
        self.save_seconds, self.refresh_interval = save_seconds, refresh_interval
        self.batch, self._is_adaptive = batch or FIRST_BATCH, batch is None
        self._learned: dict[str, Piece] = {}  # last learned piece of each file
        self._is_consistent = self._has_warned = False
        self.store: Any = None
        self._out: PredictionFile | None = None
        self._opened = ExitStack()  # closes output and inputs after the last save

    def run(self) -> KeyedModels:
        """Train on all new rows; return the models."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked_folder(self.folder), self._opened, self._saved_on_interrupt():
            self._open()
            with self.progress:
                self._learn_all()
            if not self.models.counts["rows"]:
                raise inputs.no_rows(self.source.names, "learn")
            return self.models

    def _open(self) -> None:
        """Open or create the store; check settings and inputs."""
        request, path = self.request, self.folder / STORE
        if not path.exists():  # check as much as possible before creating anything
            self.settings = new_settings(request.given, self.folder)
            self._new_learner()
            self._open_source().check({})
        self.store = KeyStore(path)
        known = self.store.about("settings")
        if known is None:
            self.settings = new_settings(request.given, self.folder)
            self.store.put_about("settings", json.dumps(self.settings).encode())
        else:
            given, before = request.given, json.loads(known)
            kinds = {**before["kinds"], **(given.get("kinds") or {})}
            given = {**given, "kinds": kinds or None}
            self.settings = checked_settings({**before, "kinds": kinds}, given, self.folder)
            if self.settings != before:
                self.store.put_about("settings", json.dumps(self.settings).encode())
        request.schema.policy = policy_of(self.settings)
        self.source = self._open_source()
        self._knows_columns = self.store.about("learner") is not None
        self.models = KeyedModels(
            None if self._knows_columns else self._new_learner(), self.store, memory=request.memory,
            idle=self.settings["idle"], refresh_interval=self.refresh_interval,
        )  # fmt: skip
        if self._knows_columns:
            self._change_kinds()
        self.before = self.models.counts["rows"]
        self.labels = Labels.stored(self.store, self.settings, self.models.learner)
        self._resume_positions()
        if request.out is not None:
            self._open_out(request.out)

    def _change_kinds(self) -> None:
        """Change the kinds of columns if options differ from the kinds of the models."""
        used = self.models.learner.known_kinds
        for name, kind in self.settings["kinds"].items():
            if used.get(name) != kind:
                try:
                    self.models.change_kinds({name: kind})
                except ValueError as problem:
                    raise ValueError(f"Invalid --kind {name}={kind}: {problem}") from None

    def _open_out(self, out: str) -> None:
        self._out = PredictionFile(out, self.store)
        self._opened.callback(self._out.close)

    def _open_source(self) -> Source:
        request, settings = self.request, self.settings
        source = inputs.open_source(
            request.files, settings, request.skip, follow=request.follow,
            skip_copies=not request.again,
        )  # fmt: skip
        source.notify = self.request.note
        self._opened.callback(source.close)
        return source

    def _new_learner(self, kinds: dict[str, str] | None = None) -> KeyedLearner:
        settings = self.settings
        return KeyedLearner(settings["learner"], kinds=kinds, chunk=settings["chunk"])

    def _resume_positions(self) -> None:
        """Relocate the positions of moved files; remove positions of files to reprocess."""
        position = {path: at for path, at in self.store.positions().items() if "digest" in at}
        for path, former in inputs.relocate(self.source, position).items():
            self.store.put_positions({former: None, path: position[path]})
            self.request.note(inputs.moved_note(path, former))
        known = {*position}
        inputs.remove_inputs(self.request.reprocess, [position])
        self.store.put_positions(dict.fromkeys(known - position.keys()))
        inputs.load_seen(self.source, self.folder)
        self.source.check(position)
        self.position = position
        if isinstance(self.source, FileSource):
            self.progress.n_files = sum(path not in position for path in self.source.paths())
        self.progress.whole_files = False

    def _learn_all(self) -> None:
        self._saved, self._took = time.perf_counter(), 0.0
        self._is_consistent = True
        first, rest = [], self.source.pieces(self.position)
        if self._knows_columns:
            kinds = self.models.learner.known_kinds
            self.source.numbers = inputs.numeric_columns(kinds, self.settings)
        else:
            first = self._first_pieces(rest)
        for pieces, is_idle in self._batches(chain(first, rest)):
            self._learn(pieces)
            seconds = 0.0 if is_idle else self.save_seconds
            if time.perf_counter() - self._saved >= max(seconds, self._took / SAVING):
                self._save()
        self.models.sweep()
        self._save()

    def _batches(self, pieces: Iterator[Piece]) -> Iterator[tuple[list[Piece], bool]]:
        """Yield the pieces of each batch, and whether no more rows are available at the moment."""
        found: list[Piece] = []
        n = 0
        for piece in pieces:
            if piece.n_rows and self._knows_columns:  # a part may be too short for a comparison
                self._compare(piece)
            while n + piece.n_rows > self.batch:
                part, piece = piece.split(self.batch - n)
                yield [*found, part], False
                found, n = [], 0
            if piece.path:
                found.append(piece)
                n += piece.n_rows
            if n >= self.batch or not piece.path:
                yield found, not piece.path
                found, n = [], 0
        yield found, False

    def _compare(self, piece: Piece) -> None:
        """Add the schema changes of a piece to the report."""
        learner = self.models.learner
        known, kinds = known_columns(learner), learner.kinds or {}
        found = learning_changes(known, self.labels, piece, self.settings, kinds)
        self.request.schema.add(found)
        for each in found if self.request.follow else ():
            self.progress.note(f"warning: {sentence(each)}")

    def _first_pieces(self, pieces: Iterator[Piece]) -> list[Piece]:
        """Return the first pieces, from which the kinds of columns are inferred."""
        found: list[Piece] = []
        n = 0
        for piece in pieces:
            self._check(piece)
            found.append(piece)
            n += piece.n_rows
            # A piece without a path means that no more rows are available at the moment.
            if n >= FIRST_ROWS or (n and not piece.path):
                break
        self._infer_columns([piece for piece in found if piece.n_rows])
        return found

    def _check(self, piece: Piece) -> None:
        """Raise ValueError unless the first files have all required columns."""
        if not piece.n_rows:
            return
        columns, settings = [*piece.table], self.settings
        for role, what in (("target", "the labels"), ("key", "the keys"), ("time", "times")):
            if settings[role] is not None:
                inputs.check_column(settings[role], columns, what, piece.path)
        for name in settings["kinds"]:
            inputs.check_column(name, columns, "--kind or --drop", piece.path)

    def _infer_columns(self, pieces: list[Piece]) -> None:
        """Infer the kinds of columns from the first rows of the stream."""
        columns: dict[str, list[Any]] = {}
        left, settings = FIRST_ROWS, self.settings
        for piece in pieces:
            if piece.n_rows and left > 0:
                features = inputs.without(piece.table, settings["target"], settings["key"])
                some = frame_of(inputs.sliced(features, 0, left))
                for name, raw in zip(some.names or [], some.columns):
                    columns.setdefault(name, []).extend(raw.values.tolist())
            left -= piece.n_rows
        if not columns:
            return
        if len({len(values) for values in columns.values()}) > 1:
            raise ValueError(
                f"{pieces[0].path} lacks columns of later files: pass the file with the most "
                "columns first."
            )
        target = settings["target"]
        full = [piece for piece in pieces if piece.n_rows]
        labels = [label for piece in full for label in inputs.texts(piece.table, target)]
        check_target(labels[:FIRST_ROWS], target, pieces[0].path)
        self.labels.known.update(label for label in labels if label is not None)
        table = {name: objects(values) for name, values in columns.items()}
        with inputs.in_file(pieces[0].path):
            learner = self._new_learner(settings["kinds"]).infer_columns(table)
            learner.new_state()
        kinds = learner.kinds or {}
        note, stated = self.request.note, settings["kinds"]
        inputs.note_distinct(table, kinds, stated, note)
        note_formats(table, kinds, stated, note)
        note_leaks(table, kinds, labels[: len(next(iter(table.values())))], note)
        for name, kind in kinds.items():
            if kind == "drop" and name not in settings["kinds"]:
                self.request.note(
                    f"column {name!r} is dropped: no value in the first {FIRST_ROWS:,} rows. To "
                    f"keep it, set its kind, e.g. --kind {name}=number"
                )
        self.models.learner = learner
        self._knows_columns = True
        self.source.numbers = inputs.numeric_columns(kinds, settings)

    def _learn(self, pieces: list[Piece]) -> None:
        """Train on the rows of pieces; after an error, none of them is saved."""
        full = [piece for piece in pieces if piece.n_rows]
        if full and not self._knows_columns:
            self._infer_columns(full)
        begin = time.perf_counter()
        self._is_consistent = False
        with uninterrupted():
            models = self.models
            models.quarantine(broken_lines(pieces, models.counts["rows"]))
            if full:
                rows, times, places = read_pieces(full, self.settings, models.learner.kinds or {})
                self.labels.hold_back(rows)
                predictions = models.learn_rows(rows, times, places)
                if self._out is not None:
                    self._out.add(rows, predictions, places)
                if self._is_adaptive:
                    seconds = time.perf_counter() - begin
                    n_keys = len({*rows.keys})
                    self.batch = next_batch(len(rows), n_keys, seconds, self.save_seconds)
            self._learned |= {piece.path: piece for piece in pieces}
            self._is_consistent = True
        if full:
            self.progress.rows(models, full[-1].file)
        self._warn_of_future_times()

    def _warn_of_future_times(self) -> None:
        """Warn once about times that are far ahead of neighboring rows."""
        ahead = self.models.clock.ahead
        if ahead is not None and not self._has_warned:
            self._has_warned = True
            self.request.note(
                f"column {self.settings['time']!r} contains {np.datetime64(ahead, 'us')!s:.19}, "
                f"more than --idle {self.settings['idle']} ahead of the rows nearby; it is ignored"
            )

    def _save(self) -> None:
        begin = time.perf_counter()
        read = {path: piece.after(piece.n_rows) for path, piece in self._learned.items()
                if path != "-"}  # fmt: skip
        self.labels.put(self.store)
        # Predictions are synced before the commit that records their length, and servers are
        # notified after it, so that a crash in between neither loses nor repeats rows.
        self.models.commit({**read, **(self._out.position() if self._out is not None else {})})
        self.source.settled({path: at for path, at in read.items() if "digest" in at})
        self._learned = {}
        self._saved = time.perf_counter()
        self._took = self._saved - begin
        inputs.save_seen(self.source, self.folder)

    @contextmanager
    def _saved_on_interrupt(self) -> Iterator[None]:
        """Save consistent models on Ctrl-C; on other errors, roll back to the last save."""
        try:
            yield
        except BaseException as problem:
            if isinstance(problem, KeyboardInterrupt) and self._is_consistent:
                self._save()
            if self.store is not None:
                self.store.close()
            raise
