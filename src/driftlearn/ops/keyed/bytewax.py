"""Keys on Bytewax: rows are read in one process, keys are trained in all of them.

The states of keys belong to the engine: its recovery store has them, together with the position of
the rows, after each epoch, so that a crash loses no row and repeats none. `operator` is for your
own dataflows; `dataflow` is the one that ``driftlearn learn --key --on bytewax:N`` runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

import bytewax.operators as op
import numpy as np
from bytewax.dataflow import Dataflow
from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
from bytewax.outputs import FixedPartitionedSink, StatefulSinkPartition

from driftlearn import io as persist
from driftlearn.ops.keyed.bytewax_run import LEDGER as LEDGER_FILE
from driftlearn.ops.keyed.key_cache import MEMORY
from driftlearn.ops.keyed.key_store import KeyStore, QuarantinedRow, Summary
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.predictions import COLUMNS, as_csv
from driftlearn.ops.keyed.reader import Batch, Reader
from driftlearn.ops.keyed.shared_models import SharedModels
from driftlearn.ops.keyed.source_accuracy import SourceAccuracy
from driftlearn.ops.keyed.training import Counts, Group, TrainedGroup, grouped
from driftlearn.ops.keyed.worker_states import RecoverableStates, Saved
from driftlearn.ops.sources._messages import RowReader, table_of
from driftlearn.tables.csv_rows import MISSING

LEDGER = "ledger"  # key of everything that concerns the stream and not a key: one process gets it
PAUSE = timedelta(seconds=1)  # between two attempts to read more rows
ROWS_PER_KEY = 32  # in a batch: with more of them, the cost of a call hardly matters
MAX_BATCH = 1_000_000  # rows of a batch where keys have fewer
MESSAGES = RowReader("utf-8", ())


@dataclass
class Final:
    """The state of a key at the end of the stream."""

    summary: Summary
    content: bytes


@dataclass
class End:
    """Positions, time and shared models at the end of the stream."""

    positions: dict[str, Any]
    clock: dict[str, Any]
    shared: bytes


def operator(
    step_id: str,
    up: Any,
    learner: KeyedLearner,
    known: KeyStore | None = None,
    *,
    memory: int = MEMORY,
    idle: Any = None,
) -> Any:
    """Predict the rows of each key, each before it is learned, then learn them.

    Parameters
    ----------
    step_id : str
        The name of the step in the dataflow.
    up : KeyedStream of Group
        Rows by key; ``Group.of(learner, key, table, labels)`` returns such a value.
    learner : KeyedLearner
        How keys learn, with the kinds of all columns. Its shared models predict groups without
        predictions (`Group.predictions`), and do not change.
    known : KeyStore, optional
        Earlier states, of keys that the engine has no state of.
    memory : int
        Bytes that states in memory may take, in each process; others are held serialized.
    idle : int, str or timedelta, optional
        See `KeyedModels`.

    Returns
    -------
    KeyedStream of TrainedGroup or Final
        The predictions for the rows, and the state of each key at the end of the stream.
    """
    states = RecoverableStates(learner, known, memory=memory, idle=idle)
    return op.stateful_batch(step_id, up, lambda saved: _Logic(states, saved))


class Groups(NamedTuple):
    """The two streams that `groups` returns.

    Attributes
    ----------
    good : KeyedStream of Group
        Rows by key, for `operator`.
    quarantined : Stream of QuarantinedRow
        Malformed rows and messages.
    """

    good: Any
    quarantined: Any


def groups(step_id: str, up: Any, learner: KeyedLearner, *, key: str, label: str) -> Groups:
    """Return rows by key from a stream of Bytewax's connectors.

    Rows that arrive together are parsed together, and those of a key are one `Group`. Rows of a
    key are learned in the order in which they arrive: in Kafka they belong in one partition.

    Parameters
    ----------
    step_id : str
        The name of the step in the dataflow.
    up : Stream of KafkaSourceMessage or dict
        Messages whose values are JSON objects such as ``{"size": 1.5, "label": "a"}``, or rows by
        column name, as ``bytewax.connectors.files.CSVSource`` returns them.
    learner : KeyedLearner
        How keys learn, with the kinds of all columns.
    key, label : str
        The columns of keys and labels.

    Returns
    -------
    Groups
    """
    read = op.flat_map_batch(step_id, up, lambda items: _parsed(items, learner, key, label))
    kinds = op.branch(f"{step_id}-kinds", read, lambda item: isinstance(item[1], Group))
    falses = op.map(f"{step_id}-quarantined", kinds.falses, lambda item: item[1])
    return Groups(kinds.trues, falses)


def _parsed(
    items: list[Any], learner: KeyedLearner, key: str, label: str
) -> Iterator[tuple[str, Group | QuarantinedRow]]:
    """Yield groups by key, and malformed rows without one."""
    rows: list[dict[str, Any]] = []
    places: list[tuple[str | None, int | None]] = []
    for each in items:
        if isinstance(each, dict):
            rows.append({name: None if text in MISSING else text for name, text in each.items()})
            places.append((None, None))
            continue
        place = f"{each.topic}#{each.partition}", each.offset
        try:
            rows.append(MESSAGES.row(each.value))
            places.append(place)
        except ValueError as problem:
            reason = f"the message cannot be read: {problem}"
            yield "", QuarantinedRow(each.offset, *place, None, reason)
    if not rows:
        return
    table = table_of(rows, {key: None, label: None, **(learner.kinds or {})})
    read = learner.read(table, table[key], table[label])
    for i, reason in sorted(read.bad.items()):
        yield "", QuarantinedRow(places[i][1] or 0, *places[i], read.keys[i], reason)
    for group in grouped(Batch.of(read, places)):
        yield group.key, group


class _Logic(op.StatefulBatchLogic):  # type: ignore[type-arg, misc, unused-ignore]
    """One key, whose state is among those of the process, and in snapshots."""

    def __init__(self, states: RecoverableStates, saved: Saved | None):
        self._states = states
        self._key: str | None = None
        if saved is not None:
            self._key = saved.key
            states.resume(saved)

    def on_batch(self, values: list[Group]) -> tuple[Iterable[TrainedGroup], bool]:
        """Train the key with groups of rows."""
        if self._key is None:
            self._key = values[0].key
            self._states.forget(self._key)  # of an earlier run in this process that failed
        return [self._states.train(group) for group in values], False

    def on_eof(self) -> tuple[Iterable[Final], bool]:
        """Emit the state; a damaged one is left as it was."""
        assert self._key is not None
        found = self._states.final_if_readable(self._key)
        return [] if found is None else [Final(*found)], False

    def snapshot(self) -> Saved:
        """Return what is to be stored for the key."""
        assert self._key is not None
        return self._states.saved(self._key)


def dataflow(
    reader: Reader,
    learner: KeyedLearner,
    known: KeyStore,
    folder: Path,
    *,
    memory: int,
    idle: Any,
    out: Path | None,
    n_parts: int,
    number: int,
) -> Dataflow:
    """Return the dataflow of a run, from files to the ledger.

    Parameters
    ----------
    reader : Reader
        Reads the rows.
    learner, known, memory, idle
        See `operator`.
    folder : Path
        The folder of the run, for its ledger.
    out : Path, optional
        The folder of predictions.
    n_parts : int
        Number of files of predictions.
    number : int
        The number of the run, for the names of these files.
    """
    flow = Dataflow("driftlearn")
    rows = op.input("rows", flow, _Source(reader, learner.shared))
    split = op.branch("kinds", rows, lambda item: isinstance(item[1], Group))
    trained = operator("learn", split.trues, learner, known, memory=memory, idle=idle)
    ends = op.branch("ends", trained, lambda item: isinstance(item[1], Final))
    counted = op.map("counts", ends.falses, _for_ledger)
    finals = op.map("finals", ends.trues, lambda item: (LEDGER, item[1]))
    ledger = _LedgerSink(folder, known.about("source_accuracy"))
    op.output("ledger", op.merge("all", split.falses, counted, finals), ledger)
    if out is not None:
        lines = op.map_value("lines", ends.falses, lambda group: as_csv(group.lines()))
        op.output("predictions", lines, _PartsSink(out, n_parts, number))
    return flow


def _for_ledger(item: tuple[str, TrainedGroup]) -> tuple[str, tuple[Counts, list[list[Any]]]]:
    """Return what is counted of a group; its rows are not sent."""
    return LEDGER, (item[1].counts, item[1].columns())


class _Source(FixedPartitionedSource):  # type: ignore[type-arg, misc, unused-ignore]
    """All files as one partition, so that rows have one order."""

    def __init__(self, reader: Reader, shared: SharedModels):
        self._reader, self._shared = reader, shared

    def list_parts(self) -> list[str]:
        """Return the name of the partition."""
        return ["rows"]

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> _Rows:
        """Return a partition that continues from a snapshot."""
        return _Rows(self._reader, self._shared, resume_state)


class _Rows(StatefulSourcePartition):  # type: ignore[type-arg, misc, unused-ignore]
    """The rows in their order; the global model learns them before they are distributed."""

    def __init__(self, reader: Reader, shared: SharedModels, snapshot: Any):
        self._reader, self._shared = reader, shared
        if snapshot is not None:
            reader.resume(snapshot)
            self._shared = persist.loads(snapshot["shared"])
        self._batches = reader.batches()
        self._ended = self._waits = False

    def next_batch(self) -> list[tuple[str, Any]]:
        """Return rows by key, and for the ledger counts or, at the end, the position."""
        if self._ended:
            raise StopIteration
        batch = next(self._batches, None)
        self._waits = batch is not None and not batch.rows and self._reader.follows
        if batch is None:
            self._ended = True
            return [(LEDGER, End(**self.snapshot()))]
        n = len(batch.rows)
        counted: tuple[Counts, list[Any]] = Counts(rows=n, quarantined=batch.quarantined), []
        by_key = [(group.key, group) for group in grouped(batch, self._shared)]
        if n >= self._reader.batch and n < ROWS_PER_KEY * len(by_key):
            self._reader.batch = min(2 * self._reader.batch, MAX_BATCH)
        return [(LEDGER, counted), *by_key]

    def next_awake(self) -> datetime | None:
        """Return when to try to read more rows."""
        return datetime.now(timezone.utc) + PAUSE if self._waits else None

    def snapshot(self) -> dict[str, Any]:
        """Return the position in the rows, and the shared models at this point."""
        return {**self._reader.state(), "shared": persist.dumps(self._shared, compress=True)}


class _LedgerSink(FixedPartitionedSink):  # type: ignore[type-arg, misc, unused-ignore]
    """One partition for everything that concerns the stream."""

    def __init__(self, folder: Path, source_accuracy: bytes | None):
        self._folder, self._source_accuracy = folder, source_accuracy

    def list_parts(self) -> list[str]:
        """Return the name of the partition."""
        return [LEDGER]

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> _Ledger:
        """Return a partition that continues from a snapshot."""
        counts, accuracy = resume_state or (Counts(), self._source_accuracy)
        return _Ledger(self._folder / LEDGER_FILE, counts, SourceAccuracy.loads(accuracy))


class _Ledger(StatefulSinkPartition):  # type: ignore[type-arg, misc, unused-ignore]
    """Counts and quarantined rows, and finally states and positions, in a store of their own."""

    def __init__(self, path: Path, counts: Counts, source_accuracy: SourceAccuracy):
        self._store, self._counts, self._accuracy = KeyStore(path), counts, source_accuracy

    def write_batch(self, values: list[Any]) -> None:
        """Add the values to the ledger."""
        columns: list[list[Any]] = [[] for _ in range(6)]
        for value in values:
            if isinstance(value, Final):
                self._store.put_state(value.content, value.summary)
            elif isinstance(value, End):
                self._store.put_about("clock", json.dumps(value.clock).encode())
                self._store.put_about("shared", value.shared)
                self._store.put_positions(value.positions)
            else:
                self._counts = self._counts + value[0]
                for column, more in zip(columns, value[1]):
                    column += more
        numbers, truth, *predictions, of_global = columns
        if numbers:
            self._accuracy.update(np.array(numbers), truth, predictions, of_global)
        self._store.put_about("counts", self._counts.dumps())
        self._store.put_about("source_accuracy", self._accuracy.dumps())
        self._store.commit()

    def snapshot(self) -> tuple[Counts, bytes]:
        """Return the counts."""
        return self._counts, self._accuracy.dumps()

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class _PartsSink(FixedPartitionedSink):  # type: ignore[type-arg, misc, unused-ignore]
    """Predictions in several CSV files, those of a key in one of them."""

    def __init__(self, folder: Path, n_parts: int, number: int):
        self._folder, self._n_parts, self._number = folder, n_parts, number

    def list_parts(self) -> list[str]:
        """Return the names of the files."""
        return [f"run-{self._number}-part-{k}.csv" for k in range(self._n_parts)]

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> _Part:
        """Return a file that continues from a snapshot."""
        return _Part(self._folder / for_part, resume_state or 0)


class _Part(StatefulSinkPartition):  # type: ignore[type-arg, misc, unused-ignore]
    """One CSV file; what was written after the snapshot is cut off."""

    def __init__(self, path: Path, done: int):
        self._file = open(path, "a+b")  # noqa: SIM115
        self._file.truncate(done)
        self._size = done
        if not done:
            self.write_batch([as_csv([COLUMNS])])

    def write_batch(self, values: list[bytes]) -> None:
        """Write lines."""
        self._size += self._file.write(b"".join(values))
        self._file.flush()

    def snapshot(self) -> int:
        """Write the file to disk; return its size."""
        os.fsync(self._file.fileno())
        return self._size

    def close(self) -> None:
        """Close the file."""
        self._file.close()
