"""Keys on Bytewax: rows are read in one place, keys learn wherever they are.

The state of a key is the engine's: it is in its recovery store with the position of the rows, an
epoch at a time, so that a kill loses no row and learns none twice. `operator` is for dataflows of
your own; `dataflow` is the one that ``driftlearn learn --key --on bytewax:N`` runs in N processes.
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
from driftlearn.ops.keyed.engine import Counts, Group, Lesson, grouped
from driftlearn.ops.keyed.heard import Heard
from driftlearn.ops.keyed.key_store import Aside, KeyStore, Summary
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.population import Population
from driftlearn.ops.keyed.predictions import COLUMNS, as_csv
from driftlearn.ops.keyed.reader import Batch, Reader
from driftlearn.ops.keyed.saved_pupils import Saved, SavedPupils
from driftlearn.ops.sources._messages import RowReader, table_of
from driftlearn.streams._csv import MISSING

LEDGER = "ledger"  # the key under which all goes to one place that is about no key
PAUSE = timedelta(seconds=1)  # between two looks for more rows
MANY = 32  # rows of a key in a batch: then what a call costs hardly matters
MOST = 1_000_000  # rows of a batch, where keys have fewer
MESSAGES = RowReader("utf-8", ())


@dataclass
class Final:
    """The state of a key when there are no more rows."""

    summary: Summary
    content: bytes


@dataclass
class End:
    """Where the stream is when there are no more rows, and what keys share then."""

    positions: dict[str, Any]
    clock: dict[str, Any]
    population: bytes


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
        How keys learn, with the kinds of all columns. Its population is asked of groups of
        which nothing was said (`Group.said`), and does not change.
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
    pupils = SavedPupils(learner, known, memory=memory, idle=idle)
    return op.stateful_batch(step_id, up, lambda kept: _Logic(pupils, kept))


class Groups(NamedTuple):
    """Two streams, into which `groups` parts rows.

    Attributes
    ----------
    good : KeyedStream of Group
        Rows by key, for `operator`.
    aside : Stream of Aside
        Rows that cannot be learned, and messages that are none.
    """

    good: Any
    aside: Any


def groups(step_id: str, up: Any, learner: KeyedLearner, *, key: str, label: str) -> Groups:
    """Make rows by key of what connectors of Bytewax give.

    Rows that come at a time are read together, and those of a key are one `Group`. Rows of a key
    are learned in the order in which they come: in Kafka they belong into one partition.

    Parameters
    ----------
    step_id : str
        Its name in the dataflow.
    up : Stream of KafkaSourceMessage or dict
        Messages whose values are JSON objects as ``{"size": 1.5, "label": "a"}``, or rows by the
        names of columns, as ``bytewax.connectors.files.CSVSource`` has them.
    learner : KeyedLearner
        How keys learn, with the kinds of all columns.
    key, label : str
        The columns of keys and labels.

    Returns
    -------
    Groups
    """
    read = op.flat_map_batch(step_id, up, lambda some: _parted(some, learner, key, label))
    kinds = op.branch(f"{step_id}-kinds", read, lambda item: isinstance(item[1], Group))
    return Groups(kinds.trues, op.map(f"{step_id}-aside", kinds.falses, lambda item: item[1]))


def _parted(
    given: list[Any], learner: KeyedLearner, key: str, label: str
) -> Iterator[tuple[str, Group | Aside]]:
    """Yield what `groups` parts; what belongs to no key comes without one."""
    rows: list[dict[str, Any]] = []
    where: list[tuple[str | None, int | None]] = []
    for each in given:
        if isinstance(each, dict):
            rows.append({name: None if text in MISSING else text for name, text in each.items()})
            where.append((None, None))
            continue
        place = f"{each.topic}#{each.partition}", each.offset
        try:
            rows.append(MESSAGES.row(each.value))
            where.append(place)
        except ValueError as problem:
            yield "", Aside(each.offset, *place, None, f"the message is broken: {problem}")
    if not rows:
        return
    table = table_of(rows, {key: None, label: None, **(learner.kinds or {})})
    read = learner.read(table, table[key], table[label])
    nobody = np.zeros(len(rows), dtype=np.int64)
    for i, why in sorted(read.bad.items()):
        yield "", Aside(where[i][1] or 0, *where[i], read.keys[i], why)
    for group in grouped(Batch(read, nobody, 0, where, [])):
        yield group.key, group


class _Logic(op.StatefulBatchLogic):  # type: ignore[type-arg, misc, unused-ignore]
    """One key; its state is with the pupils of the process, and in snapshots."""

    def __init__(self, pupils: SavedPupils, kept: Saved | None):
        self._pupils = pupils
        self._key: str | None = None
        if kept is not None:
            self._key = kept.key
            pupils.go_on(kept)

    def on_batch(self, values: list[Group]) -> tuple[Iterable[Lesson], bool]:
        """Answer and learn rows."""
        if self._key is None:
            self._key = values[0].key
            self._pupils.forget(self._key)  # a run in this process before may have failed
        return [self._pupils.learn(group) for group in values], False

    def on_eof(self) -> tuple[Iterable[Final], bool]:
        """Give away the state."""
        assert self._key is not None
        found = self._pupils.left(self._key)
        return [] if found is None else [Final(*found)], False

    def snapshot(self) -> Saved:
        """Return what is known of the key."""
        assert self._key is not None
        return self._pupils.saved(self._key)


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
    rows = op.input("rows", flow, _Source(reader, learner.population))
    split = op.branch("kinds", rows, lambda item: isinstance(item[1], Group))
    said = operator("learn", split.trues, learner, known, memory=memory, idle=idle)
    ends = op.branch("ends", said, lambda item: isinstance(item[1], Final))
    counted = op.map("counts", ends.falses, _for_ledger)
    finals = op.map("finals", ends.trues, lambda item: (LEDGER, item[1]))
    ledger = _LedgerSink(folder, known.about("heard"))
    op.output("ledger", op.merge("all", split.falses, counted, finals), ledger)
    if out is not None:
        lines = op.map_value("lines", ends.falses, lambda lesson: as_csv(lesson.lines()))
        op.output("predictions", lines, _PartsSink(out, n_parts, number))
    return flow


def _for_ledger(item: tuple[str, Lesson]) -> tuple[str, tuple[Counts, list[list[Any]]]]:
    """Return what is counted of a lesson; its rows stay where they are."""
    return LEDGER, (item[1].counts, item[1].heard())


class _Source(FixedPartitionedSource):  # type: ignore[type-arg, misc, unused-ignore]
    """All files as one partition: rows have one order."""

    def __init__(self, reader: Reader, population: Population):
        self._reader, self._population = reader, population

    def list_parts(self) -> list[str]:
        """Return the one partition."""
        return ["rows"]

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> _Rows:
        """Go on reading."""
        return _Rows(self._reader, self._population, resume_state)


class _Rows(StatefulSourcePartition):  # type: ignore[type-arg, misc, unused-ignore]
    """Rows in their order; the population learns them before they part."""

    def __init__(self, reader: Reader, population: Population, at: Any):
        self._reader, self._population = reader, population
        if at is not None:
            reader.go_on(at)
            self._population = persist.loads(at["population"])
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
            return [(LEDGER, End(**self.snapshot()))]
        told: tuple[Counts, list[Any]] = Counts(rows=batch.n_rows, aside=batch.aside), []
        by_key = [(group.key, group) for group in grouped(batch, self._population)]
        if batch.n_rows >= self._reader.batch and batch.n_rows < MANY * len(by_key):
            self._reader.batch = min(2 * self._reader.batch, MOST)
        return [(LEDGER, told), *by_key]

    def next_awake(self) -> datetime | None:
        """Return when to look for more."""
        return datetime.now(timezone.utc) + PAUSE if self._waits else None

    def snapshot(self) -> dict[str, Any]:
        """Return how far the rows were read, and what keys share there."""
        return {**self._reader.at(), "population": persist.dumps(self._population, compress=True)}


class _LedgerSink(FixedPartitionedSink):  # type: ignore[type-arg, misc, unused-ignore]
    """The one place of what is about the stream."""

    def __init__(self, folder: Path, heard: bytes | None):
        self._folder, self._heard = folder, heard

    def list_parts(self) -> list[str]:
        """Return the one partition."""
        return [LEDGER]

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> _Ledger:
        """Go on with what was counted."""
        counts, heard = resume_state or (Counts(), self._heard)
        return _Ledger(self._folder / "ledger.sqlite", counts, Heard.of(heard))


class _Ledger(StatefulSinkPartition):  # type: ignore[type-arg, misc, unused-ignore]
    """Counts, rows put aside, and in the end states and positions, in a store of their own."""

    def __init__(self, path: Path, counts: Counts, heard: Heard):
        self._store, self._counts, self._heard = KeyStore(path), counts, heard

    def write_batch(self, values: list[Any]) -> None:
        """Add up what comes."""
        columns: list[list[Any]] = [[] for _ in range(6)]
        for value in values:
            if isinstance(value, Final):
                self._store.put_state(value.content, value.summary)
            elif isinstance(value, End):
                self._store.put_about("clock", json.dumps(value.clock).encode())
                self._store.put_about("population", value.population)
                self._store.put_positions(value.positions)
            else:
                self._counts = self._counts + value[0]
                for column, more in zip(columns, value[1]):
                    column += more
        numbers, truth, *answers, everyone = columns
        if numbers:
            self._heard.update(np.array(numbers), truth, answers, everyone)
        self._store.put_about("counts", self._counts.dumps())
        self._store.put_about("heard", self._heard.content())
        self._store.commit()

    def snapshot(self) -> tuple[Counts, bytes]:
        """Return what was counted."""
        return self._counts, self._heard.content()

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
            self.write_batch([as_csv([COLUMNS])])

    def write_batch(self, values: list[bytes]) -> None:
        """Write what was said of rows."""
        self._size += self._file.write(b"".join(values))
        self._file.flush()

    def snapshot(self) -> int:
        """Have the file reach the disk; return its size."""
        os.fsync(self._file.fileno())
        return self._size

    def close(self) -> None:
        """Close the file."""
        self._file.close()
