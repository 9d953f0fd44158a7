"""``driftlearn learn --key --on bytewax:N``: N processes, which are restarted if one dies.

One process reads the rows; all processes train keyed models. The folder of a run contains the
recovery store of the engine and a ledger with the results. After a crash, the same command
continues the run and repeats at most one epoch.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import bytewax.operators as op
import numpy as np
from bytewax import inputs, outputs, recovery, testing
from bytewax.dataflow import Dataflow

from driftlearn import io as persist
from driftlearn.ops.checkpoint.inputs import open_source
from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyedModels, KeyStore, SharedModels
from driftlearn.ops.keyed.arrow_files import stored_states
from driftlearn.ops.keyed.bytewax import Final, operator
from driftlearn.ops.keyed.engine_run import ABOUT, EngineRun, Outcome, reader_of, write_report
from driftlearn.ops.keyed.predictions import CsvFile
from driftlearn.ops.keyed.reader import Reader
from driftlearn.ops.keyed.settings import Request
from driftlearn.ops.keyed.source_accuracy import SourceAccuracy
from driftlearn.ops.keyed.training import Counts, Group, TrainedGroup, grouped
from driftlearn.preprocessing._table_check import SchemaError
from driftlearn.utils.safe_text import csv_lines

PROBLEM, RESULTS = "problem.txt", "ledger.sqlite"
LEDGER = "ledger"  # key under which one process receives everything about the whole stream
BATCH, MAX_BATCH = 20_000, 1_000_000  # rows per batch, initially and at most
ROWS_PER_KEY = 32  # minimum in a batch; with more rows per key, the cost of a call hardly matters
EPOCH = 2.0  # minimum seconds between saves
TRIES, PAUSE = 10, 0.5  # starts without any progress; seconds before the next start
POLL = 0.05  # seconds between checks of the processes
WAIT = timedelta(seconds=1)  # between attempts to read more rows
MAX_PROCESSES = 16  # the recovery store has one file per process
SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


class BytewaxRun(EngineRun):
    """One run on Bytewax; starts, monitors and restarts the processes.

    Parameters
    ----------
    request : Request
        The arguments of the command.
    batch : int
        Initial number of rows to read at once; affects only speed and memory.
    save_seconds : float
        Minimum seconds between two saves.
    """

    engine = "bytewax"

    def __init__(self, request: Request, *, batch: int = BATCH, save_seconds: float = EPOCH):
        super().__init__(request, batch=batch, save_seconds=save_seconds)

    def _check_engine(self) -> None:
        processes_of(self.request.on)

    def _is_same(self, about: dict[str, Any]) -> bool:
        return about["on"] == self.request.on and super()._is_same(about)

    def _prepare(self, here: Path) -> dict[str, Any]:
        (here / "recovery").mkdir()
        recovery.init_db_dir(here / "recovery", MAX_PROCESSES)
        return {"processes": processes_of(self.request.on)}

    def _run_engine(self, here: Path, about: dict[str, Any]) -> Outcome:
        """Run all processes to completion; restart all of them if one dies."""
        failed, progress = 0, -1
        options = {
            "files": self.request.files, "follow": self.request.follow,
            "again": self.request.again, "batch": self.batch, "seconds": self.save_seconds,
        }  # fmt: skip
        while True:
            (here / PROBLEM).unlink(missing_ok=True)
            if _run_processes(here, about["processes"], options):
                return _outcome(here)
            if (here / PROBLEM).exists():
                raise ValueError((here / PROBLEM).read_text("utf-8"))
            now = _n_learned(here)
            failed, progress = (failed + 1 if now == progress else 1), now
            if failed >= TRIES:
                raise ValueError(
                    f"A process of Bytewax died {failed} times without making progress: see "
                    f"{here / 'log.txt'}. No data is lost; run the same command again to continue."
                )
            self.request.note("a process died: all processes restart from the last save")
            time.sleep(PAUSE)


def _outcome(here: Path) -> Outcome:
    """Return the results of a run from its ledger."""
    ledger = KeyStore(here / RESULTS, read_only=True)
    names = ("counts", "clock", "shared", "source_accuracy")
    counts, clock, shared, accuracy = (ledger.about(name) or b"" for name in names)
    return Outcome(
        stored_states(ledger), Counts.of(json.loads(counts)), ledger.positions(),
        json.loads(clock), persist.loads(shared), SourceAccuracy.loads(accuracy),
    )  # fmt: skip


def processes_of(on: str) -> int:
    """Return the number of processes in a string such as ``bytewax:2``."""
    text = on.partition(":")[2] or "1"
    if not text.isdecimal() or not 1 <= int(text) <= MAX_PROCESSES:
        raise ValueError(f"Invalid --on {on!r}: expected 1 to {MAX_PROCESSES} processes, e.g. "
                         "bytewax:2.")  # fmt: skip
    return int(text)


def _n_learned(here: Path) -> int:
    """Return the number of training rows in the ledger of a run."""
    with suppress(OSError, ValueError), closing(KeyStore(here / RESULTS, read_only=True)) as ledger:
        return int(json.loads(ledger.about("counts") or b"{}").get("learned", 0))
    return 0


def _run_processes(here: Path, n: int, options: dict[str, Any]) -> bool:
    """Run all processes; return whether all of them finished.

    File names may contain passwords, so they are passed through a pipe and never written to disk.
    """
    addresses = ";".join(f"127.0.0.1:{port}" for port in _free_ports(n)) if n > 1 else ""
    with open(here / "log.txt", "ab") as log:
        command = [sys.executable, "-m", "driftlearn.ops.keyed.bytewax_run", str(here), addresses]
        processes = [
            subprocess.Popen([*command, str(k)], stdout=log, stderr=log, stdin=subprocess.PIPE)
            for k in range(n)
        ]
        try:
            for process in processes:
                assert process.stdin is not None
                # A process that has died is detected below by its exit code.
                with suppress(OSError), process.stdin:
                    process.stdin.write(json.dumps(options).encode())
            while not any(codes := [process.poll() for process in processes]):
                if None not in codes:  # all have finished
                    return True
                time.sleep(POLL)
            return False  # one is neither running nor finished
        finally:
            for process in processes:
                with suppress(OSError):
                    process.kill()
                process.wait()


def _free_ports(n: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def dataflow(reader: Reader, models: KeyedModels, here: Path, about: dict[str, Any]) -> Dataflow:
    """Return the dataflow of a run, from input files to the ledger and the prediction files."""
    known, learner, idle = models.store, models.learner, about["settings"]["idle"]
    flow = Dataflow("driftlearn")
    source = _Source(["rows"], lambda _, snapshot: _Rows(reader, learner.shared, snapshot, about))
    rows = op.input("rows", flow, source)
    split = op.branch("kinds", rows, lambda item: isinstance(item[1], Group))
    trained = operator("learn", split.trues, learner, known, memory=about["memory"], idle=idle)
    ends = op.branch("ends", trained, lambda item: isinstance(item[1], Final))
    counted = op.map("counts", ends.falses, _for_ledger)
    finals = op.map("finals", ends.trues, lambda item: (LEDGER, item[1]))
    first = Counts(), known.about("source_accuracy")
    ledger = _Sink([LEDGER], lambda _, found: _Ledger(here / RESULTS, *(found or first)))
    op.output("ledger", op.merge("all", split.falses, counted, finals), ledger)
    if about["out"] is not None:
        lines = op.map_value("lines", ends.falses, lambda group: csv_lines(group.lines()))
        names = [f"run-{about['number']}-part-{k}.csv" for k in range(about["processes"])]
        parts = _Sink(names, lambda name, done: _Part(Path(about["out"], name), done or 0))
        op.output("predictions", lines, parts)
    return flow


def _for_ledger(item: tuple[str, TrainedGroup]) -> tuple[str, tuple[Counts, list[list[Any]]]]:
    """Return the counts of a group for the ledger, without its rows."""
    return LEDGER, (item[1].counts, item[1].columns())


class _Parts:
    """Named partitions; `build` returns a partition that continues from a snapshot."""

    def __init__(self, names: list[str], build: Callable[[str, Any], Any]):
        self._names, self._build = names, build

    def list_parts(self) -> list[str]:
        """Return the names of the partitions."""
        return self._names

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> Any:
        """Return a partition."""
        return self._build(for_part, resume_state)


class _Source(_Parts, inputs.FixedPartitionedSource):  # type: ignore[type-arg, misc, unused-ignore]
    """Source with a single partition for all files, which fixes the order of the rows."""


class _Sink(_Parts, outputs.FixedPartitionedSink):  # type: ignore[type-arg, misc, unused-ignore]
    """Sink for the ledger, or for prediction files; all rows of a key are in one partition."""


class _Rows(inputs.StatefulSourcePartition):  # type: ignore[type-arg, misc, unused-ignore]
    """Reads the rows in order and trains the global model on them before they are distributed."""

    def __init__(self, reader: Reader, shared: SharedModels, snapshot: Any, about: dict[str, Any]):
        self._reader, self._shared, self._about = reader, shared, about
        if snapshot is not None:
            reader.resume(snapshot)
            self._shared = persist.loads(snapshot["shared"])
        self._batches = reader.batches()
        self._ended = self._waits = False

    def next_batch(self) -> list[tuple[str, Any]]:
        """Return rows by key, and for the ledger the counts or, at the end, the position."""
        if self._ended:
            raise StopIteration
        try:
            batch = next(self._batches, None)
        except SchemaError:
            write_report(self._about, 0, self._reader)
            raise
        self._waits = batch is not None and not batch.rows and self._reader.source.follow
        if batch is None:
            self._ended = True
            write_report(self._about, 0, self._reader)
            return [(LEDGER, self.snapshot())]
        n = len(batch.rows)
        counted: tuple[Counts, list[Any]] = Counts(rows=n, quarantined=batch.quarantined), []
        by_key = [(group.key, group) for group in grouped(batch, self._shared)]
        if n >= self._reader.batch and n < ROWS_PER_KEY * len(by_key):
            self._reader.batch = min(2 * self._reader.batch, MAX_BATCH)
        return [(LEDGER, counted), *by_key]

    def next_awake(self) -> datetime | None:
        """Return the time of the next attempt to read rows."""
        return datetime.now(timezone.utc) + WAIT if self._waits else None

    def snapshot(self) -> dict[str, Any]:
        """Return the position in the rows and the current shared models."""
        return {**self._reader.state(), "shared": persist.dumps(self._shared, compress=True)}


class _Ledger(outputs.StatefulSinkPartition):  # type: ignore[type-arg, misc, unused-ignore]
    """Store for counts, quarantined rows and, at the end, states and positions."""

    def __init__(self, path: Path, counts: Counts, source_accuracy: bytes | None):
        self._store, self._counts = KeyStore(path), counts
        self._accuracy = SourceAccuracy.loads(source_accuracy)

    def write_batch(self, values: list[Any]) -> None:
        """Add values to the ledger."""
        columns: list[list[Any]] = [[] for _ in range(6)]
        for value in values:
            if isinstance(value, Final):
                self._store.put_state(value.content, value.summary)
            elif isinstance(value, dict):  # end of the stream
                self._store.put_about("clock", json.dumps(value["clock"]).encode())
                self._store.put_about("shared", value["shared"])
                self._store.put_positions(value["positions"])
            else:
                self._counts = self._counts + value[0]
                for column, more in zip(columns, value[1]):
                    column += more
        numbers, truth, *predictions, of_global = columns
        if numbers:
            self._accuracy.update(np.array(numbers), truth, predictions, of_global)
        self._store.put_about("counts", json.dumps(self._counts.values()).encode())
        self._store.put_about("source_accuracy", self._accuracy.dumps())
        self._store.commit()

    def snapshot(self) -> tuple[Counts, bytes]:
        """Return the counts."""
        return self._counts, self._accuracy.dumps()

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class _Part(CsvFile, outputs.StatefulSinkPartition):  # type: ignore[type-arg, misc, unused-ignore]
    """CSV file of predictions; on resumption, lines after the snapshot are removed."""

    snapshot = CsvFile.sync

    def write_batch(self, values: list[bytes]) -> None:
        """Append lines."""
        self.write(b"".join(values))


def main(arguments: list[str]) -> None:
    """Run one of the processes; errors that a restart would repeat are written to a file."""
    here, addresses, place = Path(arguments[0]), arguments[1].split(";"), int(arguments[2])
    _end_with_parent()
    try:
        options = json.load(sys.stdin)
        about = json.loads((here / ABOUT).read_text("utf-8"))
        models = KeyedModels(store=KeyStore(here.parent / STORE, read_only=True))
        models.clock.resume(about["clock"])
        source = open_source(
            options["files"], about["settings"], about["skip"], follow=options["follow"],
            skip_copies=not options["again"],
        )  # fmt: skip
        positions, batch = about["positions"], options["batch"]
        reader = reader_of(about, source, positions, models.clock, batch=batch)
        testing.cluster_main(
            dataflow(reader, models, here, about), [*filter(None, addresses)], place,
            epoch_interval=timedelta(seconds=options["seconds"]),
            recovery_config=recovery.RecoveryConfig(here / "recovery"),
        )  # fmt: skip
    except BaseException as problem:
        cause: BaseException | None = problem
        while cause is not None and not isinstance(cause, ValueError):
            cause = cause.__cause__ or cause.__context__
        if cause is not None:
            (here / PROBLEM).write_text(str(cause), "utf-8")
        raise


def _end_with_parent() -> None:
    """On Linux, have the kernel kill this process when its parent ends."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() == 1:  # the parent ended before the signal was set
            os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
