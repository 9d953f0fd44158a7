"""One run of ``driftlearn learn``: read new rows, predict them, train on them, save the model."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from driftlearn.ops.checkpoint import (
    file_chunks,
    inputs,
    saved_model,
    schema_checks,
    training,
    versions,
)
from driftlearn.ops.checkpoint.chunks import Chunker, Part
from driftlearn.ops.checkpoint.label_file import LabelFile
from driftlearn.ops.checkpoint.progress import Progress
from driftlearn.ops.checkpoint.record import Predictions
from driftlearn.ops.checkpoint.saved_model import (
    MODEL,
    SavedModel,
    has_file_chunks,
    locked_folder,
    log_event,
)
from driftlearn.ops.sinks.sink import Done, Sink, sink_of
from driftlearn.ops.sources.files import FileSource
from driftlearn.ops.sources.source import STANDARD_INPUT, Source, is_server, without_password
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._table_check import TABLES, SchemaReport, policy_of, sentence
from driftlearn.tables.files import Piece
from driftlearn.utils.atomic_files import sweep
from driftlearn.utils.interrupts import uninterrupted

SAVE_SECONDS = 5.0
# seconds between saves after a file, so that many small files do not cause as many saves
FILE_SECONDS = 0.5
NO_CHALLENGER = "none"
# After these errors the model is saved, since they do not affect the rows learned before.
SAVED_AFTER = (KeyboardInterrupt, ValueError, ConnectionError)


@dataclass(eq=False)
class Request:
    """Arguments of every run of ``driftlearn learn``.

    Attributes
    ----------
    folder : Path
        The state folder.
    files : list of str
        Files, folders, globs, ``"-"``, streams and topics; see `driftlearn.ops.sources.source_of`.
    given : dict
        The settings, by name; settings stored in the state folder may be omitted.
    reprocess : sequence of str
        Files to read again as new files.
    again : bool
        Whether to learn files with the content of learned files.
    skip, follow : bool
        Whether to skip broken lines, and whether to wait for more rows.
    out : str, optional
        Where to write the prequential predictions; see `driftlearn.ops.sinks.sink_of`.
    progress : Progress
        Progress display.
    schema : SchemaReport
        The schema changes of the run; its policy is that of the settings.
    """

    folder: Path
    files: list[str]
    given: dict[str, Any]
    _: KW_ONLY
    reprocess: tuple[str, ...] = ()
    again: bool = False
    skip: bool = False
    follow: bool = False
    out: str | None = None
    progress: Progress = field(default_factory=Progress)
    schema: SchemaReport = field(default_factory=SchemaReport)


@dataclass(eq=False)
class LearnRun(Request):
    """One run of ``driftlearn learn``; see `Request`.

    Parameters
    ----------
    labels : str, optional
        File, folder or glob of labels; by default that of earlier runs.
    challenger : str, optional
        Learner that is trained beside the model on the same files, in the folder ``challenger``;
        "none" drops it. By default, an existing challenger is trained.
    allow : sequence of str
        Packages whose classes may be saved and loaded; see `driftlearn.io.load`.
    save_seconds : float
        Minimum seconds between two saves.

    Attributes
    ----------
    saved : SavedModel or None
        The model; None before the first row of a new model.
    before : int
        Number of training rows of earlier runs.
    challenge : SavedModel or None
        The challenger, if there is one.
    problem : str
        Why the challenger could not be trained; "" without an error.
    """

    labels: str | None = None
    challenger: str | None = None
    allow: tuple[str, ...] = ()
    save_seconds: float = SAVE_SECONDS

    def __post_init__(self) -> None:
        self.folder, self.before = Path(self.folder), 0
        if self.labels is not None and not is_server(self.labels):  # addresses have passwords
            # later runs may have another working directory
            self.given = {**self.given, "labels": os.path.abspath(self.labels)}
        self.saved: SavedModel | None = None
        self.notes: list[str] = []
        self._changes: list[SchemaChange] = []  # events of the batch that is learned next
        self.challenge: SavedModel | None = None
        self.problem = ""
        self._sink: Sink | None = None
        self._done: dict[str, Done] = {}  # predictions that the sink already contains, by path
        self._learned: dict[str, tuple[Piece, int]] = {}  # last learned row of each path
        self._sources: list[tuple[Source, dict[str, Any]]] = []  # with their positions
        self._moved: dict[str, str] = {}  # former paths of moved files
        self._opened = ExitStack()  # closes output and inputs after the last save
        self._broken: list[tuple[str, str]] = []
        self._is_consistent = True

    def run(self) -> SavedModel:
        """Train on all new rows; return the saved model."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked_folder(self.folder), self._opened:
            sweep(self.folder)
            versions.finish_promotion(self.folder, self.allow)
            self._open()
            self._check_challenger()
            log_event(self.folder, "begin", files=[*map(without_password, self.files)])
            with self.progress, self._saved_at_end():
                for source, _ in self._sources:
                    source.notify = self._note
                for path, former in self._moved.items():
                    self._note(inputs.moved_note(path, former))
                self._learn_all()
            saved = self.saved
            if saved is None:
                raise inputs.no_rows(self.files, "learn")
            log_event(self.folder, "end", rows=saved.record.n_rows, **saved.record.accuracy())
            self._learn_challenger(saved)
            return saved

    def _check_challenger(self) -> None:
        """Raise ValueError if a challenger cannot be trained with the settings and inputs."""
        place, spec = self.folder / versions.CHALLENGER, self.challenger
        if spec in (None, NO_CHALLENGER):
            return
        if not has_file_chunks(self.settings) or not self._reads_files():
            what = "requires files as chunks: omit --chunk, --every, --follow, streams and -"
            raise ValueError(f"--challenger {what}.")
        if (place / MODEL).exists():
            known = SavedModel.open(place, allow=self.allow).settings["learner"]
            if known != spec:
                hint = "Promote it with 'driftlearn promote', or drop it with --challenger none."
                raise ValueError(f"{self.folder} has another challenger, {known!r}. {hint}")
        elif self.saved is not None:
            versions.check_requests(self.saved, None, "a new challenger")
        training.new_learner({**self.settings, "learner": spec}, self.allow)

    def _reads_files(self) -> bool:
        """Return whether the inputs can be read again."""
        is_file = isinstance(self.source, FileSource) and STANDARD_INPUT not in self.files
        return is_file and not self.follow and not is_server(self.labels or "")

    def _learn_challenger(self, saved: SavedModel) -> None:
        """Train the challenger on the same files; its errors do not concern the model."""
        place = self.folder / versions.CHALLENGER
        if self.challenger == NO_CHALLENGER and place.exists():
            shutil.rmtree(place)
        is_new = not (place / MODEL).exists()
        if self.challenger in (None, NO_CHALLENGER) and is_new:
            return
        if not self._reads_files():
            self._note("the challenger is not trained, because the input can be read only once")
            return
        given, reprocess = {**self.given, "learner": None}, self.reprocess
        if is_new:
            given, reprocess = {**saved.settings, "learner": self.challenger}, ()
        run = LearnRun(place, self.files, given, reprocess=reprocess, again=self.again,
                       skip=self.skip, allow=self.allow)  # fmt: skip
        try:
            self.challenge = run.run()
        except ValueError as problem:
            self.problem = f"the challenger was not trained: {problem}"

    def _open(self) -> None:
        """Open the saved model or check the settings of a new model; open and check the inputs."""
        if Path(self.folder, MODEL).exists():
            self.saved = SavedModel.open(self.folder, allow=self.allow)
            self.before = self.saved.record.n_rows
            known = self.saved.settings
            self._change_kinds(self.saved)
            self.settings = saved_model.checked_settings(known, self.given, self.folder)
            self.saved.settings = self.settings
        else:
            from_files = not any(each == STANDARD_INPUT or is_server(each) for each in self.files)
            self.settings = saved_model.new_settings(self.given, self.folder, from_files)
            # reject an unsuitable learner before reading rows
            training.new_learner(self.settings, self.allow)
        self.schema.policy = policy_of(self.settings)
        if self.labels is None:
            self.labels = self.settings.get("labels")
        if (self.labels is None) != (self.settings["by"] is None):
            raise ValueError("Labels in a separate file require both --labels WHERE and --by KEY.")
        position = self.saved.position if self.saved else {"files": {}, "labels": {}}
        self._position = position
        copies = {"skip_copies": not self.again}
        self.source = inputs.open_source(
            self.files, self.settings, self.skip, follow=self.follow, **copies
        )
        self._resume(self.source, position["files"])
        self.label_file: LabelFile | None = None
        if self.labels is not None:
            self.label_file = LabelFile(self.labels, self.settings, self.skip, **copies)
            # If a label were read twice, it would wait forever for a row that was already learned.
            # Therefore label files are recognized by their content, whatever their name.
            self._resume(self.label_file.source, position["labels"], renamed=True)
        known = {**position["files"]}
        inputs.remove_inputs(self.reprocess, [*position.values()])
        inputs.load_seen(self.source, self.folder)
        for source, at in self._sources:
            source.check(at)
        if self.out is not None:
            self._sink = sink_of(self.out, str(self.folder.resolve()))
            self._opened.callback(self._sink.close)
            self._done = self._sink.done_until(position["files"])
            for path, former in self._moved.items():
                if former in self._done:
                    self._done[path] = self._done.pop(former)
            forgotten = known.keys() - position["files"].keys()
            for path in (*forgotten, STANDARD_INPUT):  # these are read from the start
                self._done.pop(path, None)

    def _change_kinds(self, saved: SavedModel) -> None:
        """Change the kinds of columns if the options differ from the settings."""
        known = saved.settings["kinds"]
        kinds = {**known, **(self.given.get("kinds") or {})}
        new = {name: kind for name, kind in kinds.items() if known.get(name) != kind}
        for name, kind in new.items():
            used = saved.encoder.kinds_
            is_dropped = name not in used and name in saved.encoder.feature_names_in_
            if used.get(name) == kind or (kind == "drop" and is_dropped):
                continue
            try:
                saved.encoder.change_kinds({name: kind})
            except ValueError as problem:
                raise ValueError(f"Invalid --kind {name}={kind}: {problem}") from None
            if saved.features is not None:
                saved.features.remove(name)
        saved.settings["kinds"] = kinds
        self.given = {**self.given, "kinds": kinds or None}

    def _resume(self, source: Source, position: dict[str, Any], renamed: bool = False) -> None:
        """Add a source, with the positions up to which earlier runs have read it."""
        self._opened.callback(source.close)
        self._sources.append((source, position))
        self._moved |= inputs.relocate(source, position, renamed)

    def _learn_all(self) -> None:
        # Rows that wait for a separate label file are learned in slices. The slices must be those
        # of an uninterrupted run, so they are counted from the first row ever read.
        done = None
        if self.labels is not None:
            done = self.saved.counts["read"] if self.saved else 0
        self._chunker = Chunker(self.settings["chunk"], self.settings["every"], done)
        self._saved_at = time.perf_counter()
        if self.saved is not None:
            self._set_numeric_columns()
        if isinstance(self.source, FileSource):
            known = self._position["files"]
            self.progress.n_files = sum(path not in known for path in self.source.paths())
        self.progress.whole_files = has_file_chunks(self.settings)
        if has_file_chunks(self.settings):
            self._begin_files()
        for piece in self.source.pieces(self._position["files"]):
            if not piece.path:  # no more rows are available at the moment
                self._learn_labelled(wait=False)
                self._save()
                continue
            self._check(piece)
            target = None if self.labels is not None else self.settings["target"]
            rows = inputs.TablePiece(piece, target, self.settings["time"], self.settings["by"])
            for parts in self._chunker.cut(rows):
                self._learn(parts)
            if piece.is_last:
                self._settle()
                self._maybe_save(FILE_SECONDS)
        self._finish()

    def _begin_files(self) -> None:
        """Train on files whose labels came since the last run."""
        if self.saved is not None:
            self._learn_labelled(wait=False)
        elif self.labels is not None and not (
            self.settings["delay"] or self.settings.get("label_time")
        ):
            self._note(
                "the labels of a file count as known before the next file: if they come later, add "
                "the column of their times, --label-time COLUMN, or the number of files, e.g. "
                "--delay 7"
            )

    def _finish(self) -> None:
        """Train on the rows of the incomplete batch."""
        self._learn(self._chunker.rest())
        self._learn_labelled(wait=False)
        if self.label_file is not None and self.label_file.corrections:
            found = self.label_file.corrections
            what = "labels were corrected after their rows had been learned"
            self._note(f"{len(found):,} {what}, e.g. from {found[0]}; they are not used")

    def _check(self, piece: Piece) -> None:
        """Raise ValueError if a file lacks a required column."""
        if not piece.n_rows:
            return
        there, settings = [*piece.table], self.settings
        for name, what in (("target", "the labels"), ("time", "times"), ("by", "keys")):
            if settings[name] is not None and (name != "target" or self.labels is None):
                inputs.check_column(settings[name], there, what, piece.path)
        if self.saved is not None:
            inputs.check_known([*self.saved.encoder.kinds_], there, piece.path, self.folder)
        elif not {*there} - {settings["target"]}:
            raise ValueError(f"{piece.path} has no feature columns, only the label column.")

    def _learn(self, parts: list[Part]) -> None:
        """Train on a complete batch; an error leaves the saved model unchanged."""
        full = [part for part in parts if part.n]
        if full:
            saved = self.saved
            if saved is None:
                saved = training.new_model(self.settings, full[0].rows, self._note, self.allow)
                saved.position = self._position
                self._note_first(saved, full[0].rows)
            self._compare(saved, full)
            self.saved = saved
        begun = time.perf_counter()
        with self._one_step():
            if full and self.saved is not None:
                self._train(self.saved, full)
            for part in parts:
                self._learned[part.piece.path] = part.piece, part.end
                for text in part.piece.skipped(part.begin, part.end):
                    self._broken.append((part.piece.file, text))
            self._note_broken()
        if full and self.saved is not None:
            self._chunker.size.adapt(time.perf_counter() - begun)
            self.progress.rows(self.saved, full[-1].piece.file)
            self._set_numeric_columns()
            if not has_file_chunks(self.settings):
                self._learn_labelled(wait=True)
            self._maybe_save(self.save_seconds)

    def _note_first(self, saved: SavedModel, rows: inputs.TablePiece) -> None:
        """Report columns of the first rows that are unsuitable as they are."""
        kinds, stated = saved.encoder.kinds, self.settings["kinds"]
        with inputs.in_file(rows.piece.path):
            schema_checks.note_formats(rows.features, kinds, stated, self._note)
            if self.labels is None:
                schema_checks.note_leaks(rows.features, kinds, rows.labels, self._note)

    def _compare(self, saved: SavedModel, parts: list[Part]) -> None:
        """Report how tables differ from those before them; each piece is compared as a whole."""
        settings = self.settings
        if self.labels is None and not saved.record.classes and not saved.n_waiting:
            labels = [label for part in parts for label in part.rows.labels]
            schema_checks.check_target(labels, settings["target"], parts[0].piece.path)
        for part in parts:
            piece = part.piece
            if part.begin:
                continue
            changes = schema_checks.changes_of(saved, piece.table, piece.file, piece.row)
            where = piece.file, piece.row
            if self.labels is None:
                classes, name = saved.record.classes, settings["target"]
                changes += schema_checks.label_changes(classes, part.rows.labels, name, *where)
            else:
                changes += schema_checks.key_changes(part.rows.keys, settings["by"], *where)
            self.schema.add(changes)
            if has_file_chunks(settings):  # otherwise the events would depend on the slices
                self._changes += [each for each in changes if each.problem in TABLES]
            for each in changes:
                log_event(self.folder, "schema_change", text=sentence(each))
                if self.follow:
                    self.progress.note(f"warning: {sentence(each)}")

    def _train(self, saved: SavedModel, parts: list[Part]) -> None:
        if has_file_chunks(saved.settings):
            predictions = file_chunks.predict_file(saved, parts, self.labels is not None)
        else:
            X = training.encode(saved, parts)
        for each in self._changes:
            saved.add_event("schema_change", sentence(each), each.file, each.row)
        self._changes = []
        saved.counts["late"] += self._chunker.n_late
        self._chunker.n_late = 0
        if has_file_chunks(saved.settings):
            file_chunks.learn_due(saved, self.label_file)
        elif self.labels is not None:
            predictions = training.wait_for_labels(saved, X, parts)
        else:
            predictions = training.learn_parts(saved, parts, X, self._sink is not None)
        if self._sink is not None:
            self._write(self._sink, saved.record.classes, parts, predictions)

    def _write(
        self, sink: Sink, classes: list[str], parts: list[Part], predictions: Predictions
    ) -> None:
        """Write the prequential predictions."""
        # code -1 selects the last entry: None
        codes, labels = predictions.codes.tolist(), [*classes, None]
        predicted = [labels[code] for code in codes]
        sure = [None if k < 0 else p for k, p in zip(codes, predictions.confidence.tolist())]
        end = 0
        for part in parts:
            rows = slice(end, end := end + part.n)
            columns = {"predicted": predicted[rows], "p": sure[rows]}
            sink.write_new(self._done, part.piece.path, part.piece.row + part.begin, columns)

    def _learn_labelled(self, wait: bool) -> None:
        """Train on waiting rows whose labels are now in the label file."""
        if self.label_file is None or self.saved is None:
            return
        if has_file_chunks(self.settings):
            with self._one_step():
                file_chunks.learn_due(self.saved, self.label_file)
            return
        for pairs, settle in self.label_file.matches(self.saved, wait):
            with self._one_step():
                if pairs:
                    training.learn_labelled(self.saved, pairs)
                settle()
            self.progress.rows(self.saved, "")

    @contextmanager
    def _one_step(self) -> Iterator[None]:
        """Delay Ctrl-C during an update; after an error, the inconsistent model is not saved."""
        self._is_consistent = False
        with uninterrupted():
            yield
            self._is_consistent = True

    def _note_broken(self) -> None:
        if self.saved is not None:
            for file, text in self._broken:
                self.saved.counts["broken"] += 1
                self.saved.add_event("broken", text, file)
                self._note(f"{text}; the line is skipped")
            self._broken = []

    def _set_numeric_columns(self) -> None:
        assert self.saved is not None
        kinds = self.saved.encoder.kinds_
        self.source.numbers = inputs.numeric_columns(kinds, self.settings)

    def _settle(self) -> None:
        """Move the positions past the last training rows."""
        for path, (piece, end) in self._learned.items():
            if path != "-":
                self._position["files"][path] = piece.after(end)
        self._learned = {}

    def _maybe_save(self, seconds: float) -> None:
        if time.perf_counter() - self._saved_at >= seconds:
            self._save()

    def _save(self) -> None:
        if self.saved is None:
            return
        self._settle()
        if self._sink is not None:
            # flush before saving the model, since predictions of learned rows are never made again
            self._sink.flush()
        try:
            self.saved.save(self.folder, allow=self.allow)
        except OSError as error:
            text = f"{error.strerror}. The last saved model is unchanged"
            raise OSError(error.errno, text, error.filename) from error
        self._saved_at = time.perf_counter()
        for source, position in self._sources:
            source.settled(position)
        inputs.save_seen(self.source, self.folder)

    @contextmanager
    def _saved_at_end(self) -> Iterator[None]:
        """Save the model at the end of the run, also after most errors."""
        try:
            yield
        except BaseException as problem:
            if isinstance(problem, KeyboardInterrupt) and self.follow and self._is_consistent:
                self._finish()
            if isinstance(problem, SAVED_AFTER) and self._is_consistent:
                self._save()
            log_event(self.folder, "stopped", why=str(problem) or type(problem).__name__)
            raise
        self._save()

    def _note(self, text: str) -> None:
        """Display and log a message."""
        self.notes.append(text)
        self.progress.note(text)
        log_event(self.folder, "note", text=text)
