"""Keys on Bytewax: rows are read in one place, keys learn wherever they are.

The state of a key is the engine's: it is in its recovery store with the position of the rows, an
epoch at a time, so that a kill loses no row and learns none twice. `operator` is for dataflows of
your own; `dataflow` is the one that ``driftlearn learn --key --on bytewax:N`` runs in N processes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import bytewax.operators as op
from bytewax.dataflow import Dataflow
from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
from bytewax.outputs import FixedPartitionedSink, StatefulSinkPartition

from driftlearn.keyed.engine import Counts, Group, Lesson, Pupils, grouped
from driftlearn.keyed.key_store import KeyStore, Summary
from driftlearn.keyed.keyed_learner import KeyedLearner
from driftlearn.keyed.predictions import COLUMNS, as_csv
from driftlearn.keyed.reader import Reader

LEDGER = "ledger"  # the key under which all goes to one place that is about no key
PAUSE = timedelta(seconds=1)  # between two looks for more rows


@dataclass
class Final:
    """The state of a key when there are no more rows."""

    summary: Summary
    content: bytes


@dataclass
class End:
    """How far sources were read when there were no more rows, and the clock of the stream."""

    positions: dict[str, Any]
    clock: dict[str, Any]


def operator(
    step_id: str,
    up: Any,
    learner: KeyedLearner,
    known: KeyStore | None = None,
    *,
    memory: int = 2**30,
    idle: Any = None,
) -> Any:
    """Have each key answer its rows and learn them.

    Parameters
    ----------
    step_id : str
        Its name in the dataflow.
    up : KeyedStream of Group
        Rows by key; ``Group.of(learner, key, table, labels)`` makes a value of rows.
    learner : KeyedLearner
        How keys learn, with the kinds of all columns; its population does not change.
    known : KeyStore, optional
        States from before, of keys that the engine knows nothing of.
    memory : int
        Bytes that states in memory may take, in each process; others are held as bytes.
    idle : int, str or timedelta, optional
        As in `KeyedModels`.

    Returns
    -------
    KeyedStream of Lesson or Final
        What was said of the rows, and when there are no more, the state of each key.
    """
    pupils = Pupils(learner, known, memory=memory, idle=idle)
    return op.stateful_batch(step_id, up, lambda kept: _Logic(pupils, kept))


class _Logic(op.StatefulBatchLogic):  # type: ignore[type-arg, misc, unused-ignore]
    """One key; its state is with the pupils of the process, and in snapshots."""

    def __init__(self, pupils: Pupils, kept: tuple[str, bytes] | None):
        self._pupils = pupils
        self._key: str | None = None
        if kept is not None:
            self._key, content = kept
            pupils.take_up(self._key, content)

    def on_batch(self, values: list[Group]) -> tuple[Iterable[Lesson], bool]:
        """Answer and learn rows."""
        self._key = values[0].key
        return [self._pupils.learn(group) for group in values], False

    def on_eof(self) -> tuple[Iterable[Final], bool]:
        """Give away the state."""
        assert self._key is not None
        return [Final(*self._pupils.final(self._key))], False

    def snapshot(self) -> tuple[str, bytes]:
        """Return what is known of the key."""
        assert self._key is not None
        return self._key, self._pupils.content(self._key)


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
    """Return the dataflow from files to the ledger of a run.

    Parameters
    ----------
    reader : Reader
        Reads the rows.
    learner, known, memory, idle
        As in `operator`.
    folder : Path
        Of the run, where its ledger is.
    out : Path, optional
        The folder of predictions.
    n_parts : int
        How many files of predictions there are.
    number : int
        Of the run, in the names of these files.
    """
    flow = Dataflow("driftlearn")
    rows = op.input("rows", flow, _Source(reader))
    split = op.branch("kinds", rows, lambda item: isinstance(item[1], Group))
    said = operator("learn", split.trues, learner, known, memory=memory, idle=idle)
    ends = op.branch("ends", said, lambda item: isinstance(item[1], Final))
    counted = op.map("counts", ends.falses, lambda item: (LEDGER, item[1].counts))
    finals = op.map("finals", ends.trues, lambda item: (LEDGER, item[1]))
    op.output("ledger", op.merge("all", split.falses, counted, finals), _LedgerSink(folder))
    if out is not None:
        op.output("predictions", ends.falses, _PartsSink(out, n_parts, number))
    return flow


class _Source(FixedPartitionedSource):  # type: ignore[type-arg, misc, unused-ignore]
    """All files as one partition: rows have one order."""

    def __init__(self, reader: Reader):
        self._reader = reader

    def list_parts(self) -> list[str]:
        """Return the one partition."""
        return ["rows"]

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> _Rows:
        """Go on reading."""
        return _Rows(self._reader, resume_state)


class _Rows(StatefulSourcePartition):  # type: ignore[type-arg, misc, unused-ignore]
    def __init__(self, reader: Reader, at: Any):
        self._reader = reader
        reader.go_on(at)
        self._batches = reader.batches()
        self._ended = self._waits = False

    def next_batch(self) -> list[tuple[str, Any]]:
        """Return rows by key, and what is about none; at the end the position."""
        if self._ended:
            raise StopIteration
        batch = next(self._batches, None)
        self._waits = batch is not None and not batch.n_rows and self._reader.follows
        if batch is None:
            self._ended = True
            return [(LEDGER, End(self._reader.positions, self._reader.clock.state()))]
        counts = Counts(rows=batch.n_rows, aside=batch.aside)
        return [(LEDGER, counts), *((group.key, group) for group in grouped(batch))]

    def next_awake(self) -> datetime | None:
        """Return when to look for more."""
        return datetime.now(timezone.utc) + PAUSE if self._waits else None

    def snapshot(self) -> Any:
        """Return how far the rows were read."""
        return self._reader.at()


class _LedgerSink(FixedPartitionedSink):  # type: ignore[type-arg, misc, unused-ignore]
    """The one place of what is about the stream."""

    def __init__(self, folder: Path):
        self._folder = folder

    def list_parts(self) -> list[str]:
        """Return the one partition."""
        return [LEDGER]

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> _Ledger:
        """Go on with what was counted."""
        return _Ledger(self._folder / "ledger.sqlite", resume_state or Counts())


class _Ledger(StatefulSinkPartition):  # type: ignore[type-arg, misc, unused-ignore]
    """Counts, rows put aside, and in the end states and positions, in a store of their own."""

    def __init__(self, path: Path, counts: Counts):
        self._store, self._counts = KeyStore(path), counts

    def write_batch(self, values: list[Any]) -> None:
        """Add up what comes."""
        for value in values:
            if isinstance(value, Counts):
                self._counts = self._counts + value
            elif isinstance(value, Final):
                self._store.put_state(value.content, value.summary)
            else:
                self._store.put_about("clock", json.dumps(value.clock).encode())
                self._store.put_positions(value.positions)
        self._store.put_about("counts", self._counts.dumps())
        self._store.commit()

    def snapshot(self) -> Counts:
        """Return what was counted."""
        return self._counts

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class _PartsSink(FixedPartitionedSink):  # type: ignore[type-arg, misc, unused-ignore]
    """Predictions in several CSV files; those of a key are in one."""

    def __init__(self, folder: Path, n_parts: int, number: int):
        self._folder, self._n_parts, self._number = folder, n_parts, number

    def list_parts(self) -> list[str]:
        """Return the names of the files."""
        return [f"run-{self._number}-part-{k}.csv" for k in range(self._n_parts)]

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> _Part:
        """Go on writing where it was when the states were saved."""
        return _Part(self._folder / for_part, resume_state or 0)


class _Part(StatefulSinkPartition):  # type: ignore[type-arg, misc, unused-ignore]
    def __init__(self, path: Path, done: int):
        self._file = open(path, "a+b")  # noqa: SIM115
        self._file.truncate(done)
        self._size = done
        if not done:
            self._write([COLUMNS])

    def write_batch(self, values: list[Lesson]) -> None:
        """Write what was said of rows."""
        self._write(line for lesson in values for line in lesson.lines())
        self._file.flush()

    def _write(self, lines: Iterable[Any]) -> None:
        self._size += self._file.write(as_csv(lines))

    def snapshot(self) -> int:
        """Have the file reach the disk; return its size."""
        os.fsync(self._file.fileno())
        return self._size

    def close(self) -> None:
        """Close the file."""
        self._file.close()
