"""Base classes for runs of ``driftlearn learn --key`` on distributed engines.

A run has its own folder inside the state folder, in which the engine stores the data that it needs
to continue after a crash. The store of the state folder does not change until the training is
complete. The results are then moved to the store in one transaction, and the folder of the run is
deleted.
"""

import filecmp
import json
import os
import shutil
import uuid
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from driftlearn import io as persist
from driftlearn.ops.checkpoint import inputs
from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed.arrow_files import Sample, read_samples, shares
from driftlearn.ops.keyed.key_store import KeyStore, Summary
from driftlearn.ops.keyed.local_run import LocalRun
from driftlearn.ops.keyed.new_labels import Labels
from driftlearn.ops.keyed.reader import Batch, Clock, Reader, known_columns
from driftlearn.ops.keyed.settings import ENGINES
from driftlearn.ops.keyed.shared_models import SharedModels
from driftlearn.ops.keyed.source_accuracy import SourceAccuracy
from driftlearn.ops.keyed.training import Counts
from driftlearn.ops.sources.files import FileSource, copies_note, size_and_time
from driftlearn.ops.sources.source import STANDARD_INPUT, Source, is_server, without_password
from driftlearn.preprocessing._table_check import History, SchemaError

ABOUT = "run.json"
REPORTS = "report-*.json"  # schema changes and new labels that the processes of an engine found


class Outcome(NamedTuple):
    """Results of a run.

    Attributes
    ----------
    states : iterable of (Summary, bytes)
        The states of keys.
    counts : Counts
        The counts of the run.
    positions : dict
        Positions up to which files were read.
    clock : dict or None
        State of the stream clock; None if keys do not expire.
    shared : SharedModels or None
        The shared models after all rows; None if the global model was not trained.
    source_accuracy : SourceAccuracy or None
        Accuracy by source over the whole stream; None if it was not counted.
    """

    states: Iterable[tuple[Summary, bytes]]
    counts: Counts
    positions: dict[str, Any]
    clock: dict[str, Any] | None = None
    shared: SharedModels | None = None
    source_accuracy: SourceAccuracy | None = None


class EngineRun(LocalRun):
    """One run on an engine.

    Attributes
    ----------
    engine : str
        Name of the engine and of the folder of the run.
    plan : list of dict or None
        The files with new rows; None if rows are read during the run.
    """

    engine: str
    plan: Any = None

    @abstractmethod
    def _prepare(self, here: Path) -> dict[str, Any]:
        """Prepare the folder of a new run for the engine; return entries for its description."""

    @abstractmethod
    def _run_engine(self, here: Path, about: dict[str, Any]) -> Outcome:
        """Train on all rows of a new or interrupted run; return the results."""

    def _check_engine(self) -> None:
        """Raise ValueError unless the engine is available and supports all options."""

    def _is_same(self, about: dict[str, Any]) -> bool:
        """Return whether an unfinished run has the same arguments as this run."""
        kinds = self.models.learner.kinds
        return bool(about["files"] == self._shown_files and about["kinds"] == kinds)

    @property
    def _shown_files(self) -> list[str]:
        """The inputs without passwords; these names may be written to disk."""
        return [without_password(name) for name in self.request.files]

    def _open_out(self, out: str) -> None:
        """Check the folder into which the processes of the engine write predictions."""
        check_out_folder(out)

    def _resume_positions(self) -> None:
        super()._resume_positions()
        if isinstance(self.source, FileSource) and self.source.skip_copies:
            self._skip_copies(self.source)

    def _skip_copies(self, source: FileSource) -> None:
        """Store the positions of copies of learned files; note them."""
        copies = []
        for path in source.paths():
            if path not in self.position and path != STANDARD_INPUT:
                original = source.original(path, self.position)
                if original is not None:
                    copies.append((path, original))
        found = {path: self.position[original] for path, original in copies}
        self.store.put_positions(found)
        self.position |= found
        if copies:
            self.request.note(copies_note(copies))

    def _learn_all(self) -> None:
        self._check_engine()
        here = self.folder.resolve() / self.engine
        about = unfinished(here, self.store)
        if about is not None and not self._is_same(about):
            raise _is_unfinished(self.folder, about)
        if about is None:
            # The results of this folder are already stored, or its run was never described.
            shutil.rmtree(here, ignore_errors=True)
            if self.plan == []:  # no new rows
                self.store.commit()  # the positions of moved and copied files
                return
            about = self._new_run(here)
        self._is_consistent = False  # nothing must be saved here while the engine runs
        try:
            outcome = self._run_engine(here, about)
        except ValueError:
            if self.request.schema.policy == "stop":
                self._add_reports(here, about)
            raise
        self._add_reports(here, about)
        self._store_outcome(about, outcome)
        shutil.rmtree(here)

    def _add_reports(self, here: Path, about: dict[str, Any]) -> None:
        """Add the reports of all processes; a schema change that stops the run discards it."""
        reports = [json.loads(path.read_text("utf-8")) for path in sorted(here.glob(REPORTS))]
        try:
            self.request.schema.include([each for one in reports for each in one["schema"]])
        except SchemaError:
            shutil.rmtree(here)
            raise
        self.labels.merge(about["labels"], [each["labels"] for each in reports])

    def _new_run(self, here: Path) -> dict[str, Any]:
        if not self._knows_columns:
            self._first_pieces(self.source.pieces(self.position))
            if not self._knows_columns:
                raise inputs.no_rows(self.request.files, "learn")
        self.labels.put(self.store)
        self.models.commit()
        here.mkdir()
        number = 1 + int(self.store.about("runs") or b"0")
        request = self.request
        about = {
            "id": uuid.uuid4().hex, "number": number, "on": request.on, "files": self._shown_files,
            "folder": str(here), "skip": request.skip, "out": request.out,
            "memory": request.memory, "positions": self.position, "settings": self.settings,
            "kinds": self.models.learner.kinds, "clock": self.models.clock.state(),
            "columns": [vars(each) for each in known_columns(self.models.learner)],
            "labels": self.labels.state(),
            **self._prepare(here),
        }  # fmt: skip
        if request.out is not None:
            Path(request.out).mkdir(parents=True, exist_ok=True)
        # The description is written last: a folder without it is discarded by the next run.
        persist.atomic_write(here / ABOUT, json.dumps(about).encode())
        return about

    def _update_shared(self, about: dict[str, Any], outcome: Outcome, is_due: bool) -> None:
        """Update the shared models after the states of a run were stored.

        `is_due` states whether a refresh of the pool became due during the run.
        """
        if outcome.shared is not None:
            self.models.learner = self.models.learner.with_shared(outcome.shared)
            if is_due:
                self.models.refresh_pool()

    def _store_outcome(self, about: dict[str, Any], outcome: Outcome) -> None:
        """Move the results of a run into the store, in one transaction."""
        store, models, counts = self.store, self.models, outcome.counts
        for summary, content in outcome.states:
            store.put_state(content, summary)
        store.quarantine(counts.quarantined)
        store.add_expired(counts.expired)
        for name in ("rows", "learned", "tested", "right"):
            models.counts[name] += getattr(counts, name)
        models.baselines.update(counts.baselines)
        models.counts["quarantined"] += counts.n_quarantined
        models.counts["expired"] += sum(counts.expired.values())
        is_due = counts.rows >= models.rows_to_refresh()
        if outcome.clock is None:
            models.clock.advance(counts.rows, None)
        else:
            models.clock.resume(outcome.clock)
        # In the same transaction as the results: after a crash, it shows that they were stored.
        store.put_about("run", about["id"].encode())
        self.labels.put(store)
        store.put_about("runs", str(about["number"]).encode())
        models.sweep()
        models.source_accuracy = outcome.source_accuracy or models.source_accuracy
        self._update_shared(about, outcome, is_due)
        models.commit(outcome.positions)
        self.source.settled(outcome.positions)


class PlannedRun(EngineRun):
    """A run over a fixed list of files, which any process may read.

    For each file, the list contains the position up to which it was read before, its size and
    modification time (a file that is read again after a crash must be unchanged), and the number of
    its rows on which the global model is trained when the run is complete.
    """

    source: FileSource

    def _check_engine(self) -> None:
        on, files = self.request.on, self.request.files
        if self.request.follow or "-" in files or any(map(is_server, files)):
            raise ValueError(
                f"--on {on} supports only existing files, not --follow, - (standard input) or "
                "servers. Omit these and run the same command again when there are new files, or "
                "use --on local."
            )
        if self.settings["idle"] is not None:
            raise ValueError(
                f"--on {on} does not support --idle, since its rows have no common order. Omit "
                "--idle, or use --on local or --on bytewax:2."
            )

    @cached_property
    def plan(self) -> list[dict[str, Any]]:
        """The files with new rows."""
        paths = self._distinct([path for path in self.source.paths() if self._is_new(path)])
        stats = [size_and_time(path) for path in paths]
        samples = shares([size for size, _ in stats])
        return [
            {"place": place, "path": path, "name": self.source.file(path).name,
             "at": self.position.get(path), "before": self.position.get(path, {}).get("rows", 0),
             "stat": stats[place], "sample": samples[place]}
            for place, path in enumerate(paths)
        ]  # fmt: skip

    def _distinct(self, paths: list[str]) -> list[str]:
        """Return the files without copies of other files in the list; note these."""
        by_size: dict[int, list[str]] = {}
        found, copies = [], []
        for path in paths:
            others = by_size.setdefault(os.stat(path).st_size, [])
            is_new = self.source.skip_copies and path not in self.position
            same = [other for other in others if is_new and filecmp.cmp(path, other, shallow=False)]
            if same:
                copies.append((path, same[0]))
            else:
                others.append(path)
                found.append(path)
        if copies:
            self.request.note(copies_note(copies))
        return found

    def _update_shared(self, about: dict[str, Any], outcome: Outcome, is_due: bool) -> None:
        paths = [_sample_of(about, file) for file in about["plan"]]
        sample = read_samples(paths, about["kinds"])
        if sample is not None:
            self.models.learner.shared.learn_rows(sample)
        self.models.refresh_pool()

    def _is_new(self, path: str) -> bool:
        """Return whether a file has rows or broken lines that have not been read yet."""
        at = self.position.get(path)
        if at is None or self.source._is_known(path, at):
            return at is None
        pieces = self.source.file(path).pieces(at, lambda: (), skip=True)
        return any(piece.n_rows or piece.broken for piece in pieces)


def check_out_folder(out: str) -> None:
    """Raise ValueError if several processes cannot write predictions to `out`."""
    if Path(out).exists() and not Path(out).is_dir():
        raise ValueError(
            f"Invalid --out {out!r}: it is a file. With --on it must be a folder, in which each "
            "process writes a file."
        )


def unfinished(here: Path, store: KeyStore) -> dict[str, Any] | None:
    """Return the description of the run in a folder; None if its results are in the store."""
    if not (here / ABOUT).exists():
        return None
    about: dict[str, Any] = json.loads((here / ABOUT).read_text("utf-8"))
    return None if store.about("run") == about["id"].encode() else about


def check_others(folder: Path, engine: str) -> None:
    """Raise ValueError if a state folder has an unfinished run on another engine."""
    for other in {name for name, *_ in ENGINES.values()} - {engine, ""}:
        if (folder / other / ABOUT).exists():
            store = KeyStore(folder / STORE, read_only=True)
            about = unfinished(folder / other, store)
            store.close()
            if about is not None:
                raise _is_unfinished(folder, about)


def _is_unfinished(folder: Path, about: dict[str, Any]) -> ValueError:
    return ValueError(
        f"{folder} has an unfinished run on {about['on']} over {', '.join(about['files'])}. Finish "
        "it first with the command that started it."
    )


def first_numbers(about: dict[str, Any], n_rows: Sequence[int]) -> list[int]:
    """Return the stream row number of the first row of each file in a plan.

    Parameters
    ----------
    about : dict
        The run.
    n_rows : sequence of int
        The number of rows that the run has read from each file.
    """
    starts = accumulate(n_rows, initial=about["clock"]["rows"])
    return [start - file["before"] for start, file in zip(starts, about["plan"])]


def read_file(about: dict[str, Any], file: dict[str, Any]) -> Iterator[Batch | dict[str, Any]]:
    """Yield the batches of a planned file, then its end position; store a sample of the rows."""
    path = file["path"]
    if size_and_time(path) != file["stat"]:
        raise ValueError(
            f"{path} has changed since the run started. Restore it, or delete {about['folder']} "
            "and run the same command again; the results of this run have not been used yet."
        )
    at = {} if file["at"] is None else {path: file["at"]}
    source = inputs.open_source([path], about["settings"], skip=about["skip"])
    reader = reader_of(about, source, at, Clock(None, False))
    sample = Sample(file["sample"])
    try:
        for batch in reader.batches():
            sample.add(batch)
            yield batch
    finally:
        write_report(about, file["place"], reader)
    sample.write(_sample_of(about, file), about["kinds"])
    yield reader.positions.get(path, {})


def reader_of(
    about: dict[str, Any], source: Source, positions: dict[str, Any], clock: Clock, **more: Any
) -> Reader:
    """Return a reader of the rows of a run."""
    settings = about["settings"]
    known = [History(**each) for each in about["columns"]]
    labels = Labels.of(settings, about["labels"])
    return Reader(
        source, settings, about["kinds"], positions, clock, known=known, labels=labels, **more
    )


def write_report(about: dict[str, Any], place: int, reader: Reader) -> None:
    """Store what a process found in the rows; a repetition of its work replaces the file."""
    path = Path(about["folder"], REPORTS.replace("*", f"{place:06}"))
    found = reader.state()
    content = {name: found[name] for name in ("schema", "labels")}
    persist.atomic_write(path, json.dumps(content).encode())


def _sample_of(about: dict[str, Any], file: dict[str, Any]) -> Path:
    return Path(about["folder"], f"sample-{file['place']}")
