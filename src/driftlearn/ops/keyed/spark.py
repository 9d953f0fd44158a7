"""Keyed models on Spark Structured Streaming: a stateful processor with one state per key.

The engine manages the states of keys: its state store is updated together with the position in the
rows, after each micro-batch. `learn` is for your own queries; the query of ``driftlearn learn --key
--on spark://host:7077`` also uses it.

Spark groups the rows by one of 256 groups of keys instead of single keys, because a processor call
and a pandas frame cost as much as hundreds of rows, and a key has few rows in a micro-batch. Each
group has a map from keys to states, so only the states of keys with rows are read and written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import IntegralType, StringType, StructField, StructType

from driftlearn.ops.keyed.key_cache import WorkerStates, packed, unpacked
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.rows import Rows, used
from driftlearn.ops.keyed.training import Group

GROUP, KEY = "group", "key"  # columns by which Spark groups rows, and of keys as strings
GROUPS = 256
STATE = "state"  # name of the key states in the state store
NAME, CONTENT = "key string", "content binary, summary string"
OUTPUT = ("label", "predicted", "votes", "reason")
PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def learn(
    frame: DataFrame,
    *,
    key: str,
    label: str,
    learner: KeyedLearner,
    order: str | Sequence[str],
    passthrough: Sequence[str] = (),
    quarantined: str | None = None,
    known: DataFrame | None = None,
) -> DataFrame:
    """Predict each row with the model of its key, then train the model on the row.

    Rows of a key are processed micro-batch by micro-batch. Since Spark guarantees no order, the
    rows within a micro-batch are sorted by `order`, and rows with equal values by their other
    columns.

    Parameters
    ----------
    frame : DataFrame
        A stream of rows. (A static frame is processed as one micro-batch.)
    key, label : str
        The key column and the label column.
    learner : KeyedLearner
        The learner of all keys, with the kinds of all columns; its shared models are not updated.
    order : str or sequence of str
        Columns of numbers or times that define the order of the rows of a key.
    passthrough : sequence of str
        Further columns to copy to the output.
    quarantined : str, optional
        A string column: rows with a value are quarantined, and the value is the reason.
    known : DataFrame, optional
        Earlier states, as returned by `states`.

    Returns
    -------
    DataFrame
        For each row: its key, the columns of `order` and `passthrough`, the ``label``, the
        ``predicted`` label before training, the model that contributed most to it (``votes``), and
        the ``reason`` if the row is malformed.
    """
    places = [order] if isinstance(order, str) else [*order]
    copied = [key, *places, *passthrough]
    needed = [*copied, label, *([] if quarantined is None else [quarantined])]
    kinds = learner.known_kinds
    for name in needed:
        if name not in frame.columns:
            found = ", ".join(frame.columns)
            raise ValueError(f"The rows have no column {name!r}. Columns found: {found}.")
    taken = {*copied} & {*OUTPUT}
    if taken:
        raise ValueError(
            f"The predictions have a column {taken.pop()!r}: rename the column of the rows."
        )
    if not isinstance(frame.schema[key].dataType, StringType | IntegralType):
        raise ValueError(f"Keys must be strings or integers: cast column {key!r} to one of these.")
    features = [name for name in used(kinds) if name in frame.columns]
    columns = [*dict.fromkeys([*needed, *features])]
    fields = [frame.schema[name] for name in copied]
    texts = [StructField(name, StringType()) for name in OUTPUT]
    is_text = {field.name: isinstance(field.dataType, StringType) for field in fields}
    processor = Processor(packed(learner), columns, label, features, places, is_text, quarantined)
    frame.sparkSession.conf.set("spark.sql.streaming.stateStore.providerClass", PROVIDER)
    # an empty key counts as malformed, too
    text = F.coalesce(F.col(_quoted(key)).cast("string"), F.lit(""))
    group = _group(text).alias(GROUP)
    # Spark passes rows as named tuples, whose fields must be Python identifiers.
    safe = [F.col(_quoted(name)).alias(f"c{j}") for j, name in enumerate(columns)]
    initial = None
    if known is not None:
        names = _group(F.col(KEY)).alias(GROUP), KEY, "content", "summary"
        initial = known.select(*names).groupBy(GROUP)
    grouped = frame.select(group, text.alias(KEY), *safe).groupBy(GROUP)
    schema = StructType([*fields, *texts])
    return grouped.transformWithStateInPandas(
        processor, schema, "Append", "None", initialState=initial
    )


def states(session: SparkSession, checkpoint: str) -> DataFrame:
    """Return the key states in the checkpoint of a query.

    Parameters
    ----------
    session : SparkSession
        The session.
    checkpoint : str
        The checkpoint of the query.

    Returns
    -------
    DataFrame
        For each ``key``: its state (``content``, the input of `KeyedLearner.loads`) and a
        ``summary`` as JSON.
    """
    found = session.read.format("statestore").option("path", checkpoint)
    value = [F.col(f"user_map_value.{name}") for name in ("content", "summary")]
    return found.option("stateVarName", STATE).load().select(F.col("user_map_key.key"), *value)


def _group(text: Column) -> Column:
    """Return the expression for the group number of a key."""
    return F.crc32(text.cast("binary")) % GROUPS


def _quoted(name: str) -> str:
    """Return a column name quoted for Spark expressions."""
    return f"`{name.replace('`', '``')}`"


def _text(values: Any) -> pd.Series:
    """Return a string column of pandas in the type that Spark expects."""
    found = pd.Series(values, dtype=object)
    return found.where(found.notna(), None)


@dataclass
class Processor(StatefulProcessor):  # type: ignore[misc, unused-ignore]
    """Stateful processor of a group of keys for ``transformWithStateInPandas``.

    Parameters
    ----------
    learner : bytes
        The learner with its shared models, from `packed`; Spark sends it to all workers.
    columns : list of str
        The names of the columns that are called c0, c1 and so on in Spark.
    label : str
        The label column.
    features : list of str
        The feature columns.
    order : list of str
        The columns that define the order of rows.
    passed : dict of str to bool
        The columns to copy to the output, and whether they contain strings.
    quarantined : str or None
        The column with the reason why a row is quarantined.
    """

    learner: bytes
    columns: list[str]
    label: str
    features: list[str]
    order: list[str]
    passed: dict[str, bool]
    quarantined: str | None

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Start a task."""
        self._states = handle.getMapState(STATE, NAME, CONTENT)
        self._workers = WorkerStates(unpacked(self.learner))

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        """Store earlier states of keys."""
        columns = (initialState[each] for each in (KEY, "content", "summary"))
        for name, content, summary in zip(*columns):
            self._states.updateValue((name,), (bytes(content), summary))

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:
        """Predict each row with the model of its key, then train the model on the row."""
        given = pd.concat([*rows], ignore_index=True)
        names = {f"c{j}": name for j, name in enumerate(self.columns)}
        keys, frame, reasons = self._in_order(given[KEY], given[[*names]].rename(columns=names))
        table = {name: frame[name] for name in self.features}
        read = self._workers.learner.read(table, keys, frame[self.label])
        read.bad.update(reasons)
        n = len(frame)
        found: dict[str, list[Any]] = {name: [None] * n for name in OUTPUT}
        found["label"] = read.labels
        if len(read.bad) < n:
            self._learn(read, found)
        for i, reason in read.bad.items():
            found["reason"][i] = reason
        passed = {name: _text(frame[name].astype(object)) if is_text else frame[name]
                  for name, is_text in self.passed.items()}  # fmt: skip
        yield pd.DataFrame({**passed, **{name: _text(each) for name, each in found.items()}})

    def _learn(self, read: Rows, found: dict[str, list[Any]]) -> None:
        """Train on valid rows; store predictions and reasons for rejected rows."""
        good = read.good
        rows = read.take(good)
        predictions = self._workers.learner.shared.predict(rows.table, len(rows))
        zeros = np.zeros(len(rows), dtype=np.int64)
        for group in Group("", rows, good, zeros, [], predictions).by_key():
            name = group.key
            stored = self._states.getValue((name,))
            if stored is not None:
                self._workers.put(name, bytes(stored[0]))
            trained = self._workers.train(group)
            if max(trained.ages) >= 0:  # otherwise the state may be damaged and is left unchanged
                summary, content = self._workers.final(name)
                self._states.updateValue((name,), (content, json.dumps(summary)))
            self._workers.drop(name)
            at = group.numbers.tolist()
            for i, predicted, votes in zip(at, trained.labels, trained.votes):
                found["predicted"][i], found["votes"][i] = predicted, votes
            read.bad.update({at[i]: reason for i, reason in trained.bad.items()})

    def _in_order(
        self, keys: pd.Series, frame: pd.DataFrame
    ) -> tuple[pd.Series, pd.DataFrame, dict[int, str]]:
        """Return rows sorted by key and order, and the reasons for quarantined rows."""
        columns = {f"by {j}": frame[name] for j, name in enumerate(self.order)}
        by = pd.DataFrame({KEY: pd.factorize(keys, sort=True)[0], **columns})
        if by.duplicated().any():
            by = by.assign(values=[repr(row) for row in frame.itertuples(index=False, name=None)])
        index = by.sort_values([*by.columns]).index
        keys, frame = (each.loc[index].reset_index(drop=True) for each in (keys, frame))
        reasons: dict[int, str] = {}
        for name in self.order:
            reason = f"column {name!r}, which defines the order of rows, has no value"
            reasons.update(dict.fromkeys(np.flatnonzero(frame[name].isna()).tolist(), reason))
        if self.quarantined is not None:
            given = frame[self.quarantined]
            reasons.update({i: str(given[i]) for i in np.flatnonzero(given.notna()).tolist()})
        return keys, frame, reasons

    def close(self) -> None:
        """End a task; there is nothing to do, since all states are in the state store."""
