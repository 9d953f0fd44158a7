"""Keys on Bytewax: steps for your own dataflows.

The states of keys belong to the engine: its recovery store has them, together with the position of
the rows, after each epoch, so that a crash loses no row and repeats none. The dataflow of
``driftlearn learn --key --on bytewax:N`` is made of `operator`, too.
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
from driftlearn.ops.sources._messages import row_of
from driftlearn.tables.csv_rows import MISSING, columns_of


@dataclass
class Final:
    """The state of a key at the end of the stream."""

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
        try:
            return [Final(*self._states.final(self._key))], False
        except (ValueError, ImportError):
            if self._key in self._states.states:
                raise
            return [], False

    def snapshot(self) -> Saved:
        """Return what is to be stored for the key."""
        assert self._key is not None
        return self._states.saved(self._key)
