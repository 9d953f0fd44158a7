"""Keyed models on Bytewax: steps for your own dataflows.

The engine manages the states of keys: after each epoch, its recovery store contains the states
together with the position in the rows, so a crash neither loses nor repeats rows. The dataflow of
``driftlearn learn --key --on bytewax:N`` also uses `operator`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import bytewax.operators as op

from driftlearn.ops.keyed.key_cache import MEMORY, RecoverableStates, Saved
from driftlearn.ops.keyed.key_store import KeyStore, QuarantinedRow, Summary
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.training import Group, TrainedGroup, grouped
from driftlearn.ops.sources.log_source import row_of
from driftlearn.tables.csv_parser import MISSING, columns_of


@dataclass
class Final:
    """State of a key at the end of the stream."""

    summary: Summary
    content: bytes


def operator(
    step_id: str,
    up: Any,
    learner: KeyedLearner,
    known: KeyStore | None = None,
    *,
    memory: int = MEMORY,
    idle: Any = None,
) -> Any:
    """Predict each row with the model of its key, then train the model on the row.

    Parameters
    ----------
    step_id : str
        The name of the step in the dataflow.
    up : KeyedStream of Group
        Rows by key; ``Group.of(learner, key, table, labels)`` creates a value of the stream.
    learner : KeyedLearner
        The learner of all keys, with the kinds of all columns. Its shared models predict groups
        without predictions (`Group.predictions`) and are not updated.
    known : KeyStore, optional
        Earlier states, for keys without a state in the engine.
    memory : int
        Memory limit of each process for states, in bytes; further states are held serialized.
    idle : int, str or timedelta, optional
        See `KeyedModels`.

    Returns
    -------
    KeyedStream of TrainedGroup or Final
        The predictions of the rows, and the state of each key at the end of the stream.
    """
    states = RecoverableStates(learner, known, memory=memory, idle=idle)
    return op.stateful_batch(step_id, up, lambda saved: _Logic(states, saved))


class Groups(NamedTuple):
    """Return value of `groups`: two streams.

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
    """Return rows by key from the stream of a Bytewax connector.

    Rows that arrive together are parsed together; all rows of a key form one `Group`. The model of
    a key is trained on its rows in order of arrival, so in Kafka, all rows of a key must be in one
    partition.

    Parameters
    ----------
    step_id : str
        The name of the step in the dataflow.
    up : Stream of KafkaSourceMessage or dict
        Messages whose values are JSON objects such as ``{"size": 1.5, "label": "a"}``, or rows by
        column name, as ``bytewax.connectors.files.CSVSource`` returns them.
    learner : KeyedLearner
        The learner of all keys, with the kinds of all columns.
    key, label : str
        The key column and the label column.

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
    """Yield groups by key, and malformed rows without a key."""
    rows: list[dict[str, Any]] = []
    places: list[tuple[str | None, int | None]] = []
    for each in items:
        if isinstance(each, dict):
            rows.append({name: None if text in MISSING else text for name, text in each.items()})
            places.append((None, None))
            continue
        place = f"{each.topic}#{each.partition}", each.offset
        try:
            rows.append(row_of(each.value, "utf-8", ()))
            places.append(place)
        except ValueError as problem:
            reason = f"the message cannot be read: {problem}"
            yield "", QuarantinedRow(each.offset, *place, None, reason)
    if not rows:
        return
    names = [*dict.fromkeys([key, label, *(learner.kinds or ())])]
    table = columns_of(names, [[row.get(name) for name in names] for row in rows])
    read = learner.read(table, table[key], table[label])
    for i, reason in sorted(read.bad.items()):
        yield "", QuarantinedRow(places[i][1] or 0, *places[i], read.keys[i], reason)
    for group in grouped(Batch.of(read, places)):
        yield group.key, group


class _Logic(op.StatefulBatchLogic):  # type: ignore[type-arg, misc, unused-ignore]
    """Logic of one key; the states of all keys of a process are held together."""

    def __init__(self, states: RecoverableStates, saved: Saved | None):
        self._states = states
        self._key: str | None = None
        if saved is not None:
            self._key = saved.key
            states.resume(saved)

    def on_batch(self, values: list[Group]) -> tuple[Iterable[TrainedGroup], bool]:
        """Train the model of the key on groups of rows."""
        if self._key is None:
            self._key = values[0].key
            self._states.drop(self._key)  # left over from a failed run in this process
        return [self._states.train(group) for group in values], False

    def on_eof(self) -> tuple[Iterable[Final], bool]:
        """Emit the final state, unless it is damaged."""
        assert self._key is not None
        try:
            return [Final(*self._states.final(self._key))], False
        except (ValueError, ImportError):
            if self._key in self._states.states:
                raise
            return [], False

    def snapshot(self) -> Saved:
        """Return the snapshot of the key for the recovery store."""
        assert self._key is not None
        return self._states.saved(self._key)
