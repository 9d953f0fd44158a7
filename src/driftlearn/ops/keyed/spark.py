"""Keys on Spark Structured Streaming: a stateful processor with a state for each key.

The states of keys belong to the engine: its state store changes together with the position of the
rows, after each micro-batch. `learn` is for your own queries; the query of ``driftlearn learn --key
--on spark://host:7077`` is made of it, too.

Spark groups the rows not by key but by one of 256 groups of keys: a call of a processor, and a
pandas frame, cost as much as hundreds of rows, and a key has few rows in a micro-batch. A group has
a map from keys to states, so that only the states of keys with rows are read and written.
"""

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
    """Predict the rows of each key, each before it is learned, then learn them.

    Rows of a key are learned micro-batch after micro-batch, and within each in the order of a
    column, since Spark guarantees no order. Rows with equal values in this column are ordered by
    their other values.

    Parameters
    ----------
    frame : DataFrame
        A stream of rows. (A static frame is learned as one micro-batch.)
    key, label : str
        The columns of keys and of labels.
    learner : KeyedLearner
        How keys learn, with the kinds of all columns; its shared models do not change.
    order : str or sequence of str
        The columns of numbers or times that define the order of the rows of a key.
    passthrough : sequence of str
        More columns to copy to the output.
    quarantined : str, optional
        A column of texts: a row that has one is not learned, and the text is the reason.
    known : DataFrame, optional
        Earlier states, as `states` returns them.

    Returns
    -------
    DataFrame
        For each row its key, the columns of `order` and `passthrough`, ``label``, the label that
        was ``predicted`` before it was learned, ``votes``, the model that decided it, and for a
        malformed row the ``reason``.
    """
    places = [order] if isinstance(order, str) else [*order]
    copied = [key, *places, *passthrough]
    needed = [*copied, label, *([] if quarantined is None else [quarantined])]
    kinds = learner.known_kinds
    for name in needed:
        if name not in frame.columns:
            raise ValueError(
                f"The rows have no column {name!r}. Columns found: {', '.join(frame.columns)}."
            )
    taken = {*copied} & {*OUTPUT}
    if taken:
        raise ValueError(
            f"The predictions have a column {taken.pop()!r}. Rename the column of the rows."
        )
    if not isinstance(frame.schema[key].dataType, StringType | IntegralType):
        raise ValueError(
            f"Keys must be strings or integers: cast column {key!r} to one of these types."
        )
    features = [name for name in used(kinds) if name in frame.columns]
    columns = [*dict.fromkeys([*needed, *features])]
    fields = [frame.schema[name] for name in copied]
    texts = [StructField(name, StringType()) for name in OUTPUT]
    is_text = {field.name: isinstance(field.dataType, StringType) for field in fields}
    processor = Processor(
        packed(learner), columns, key, label, features, places, is_text, quarantined
    )
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
    """Return the states of keys in the checkpoint of a query.

    Parameters
    ----------
    session : SparkSession
        The session.
    checkpoint : str
        The checkpoint of the query.

    Returns
    -------
    DataFrame
        For each ``key`` its state as ``content``, the input of `KeyedLearner.loads`, and a
        ``summary`` as JSON.
    """
    found = session.read.format("statestore").option("path", checkpoint)
    value = [F.col(f"user_map_value.{name}") for name in ("content", "summary")]
    return found.option("stateVarName", STATE).load().select(F.col("user_map_key.key"), *value)


def _group(text: Column) -> Column:
    """Return the group of keys."""
    return F.crc32(text.cast("binary")) % GROUPS


def _quoted(name: str) -> str:
    """Return the name of a column as Spark's expressions need it, whatever characters it has."""
    return f"`{name.replace('`', '``')}`"


def _text(values: Any) -> pd.Series:
    """Return a column of texts as Spark expects it, whatever type pandas has for such a column."""
    found = pd.Series(values, dtype=object)
    return found.where(found.notna(), None)


@dataclass
class Processor(StatefulProcessor):  # type: ignore[misc, unused-ignore]
    """Processor of a group of keys for ``transformWithStateInPandas``.

    Parameters
    ----------
    learner : bytes
        The learner with its shared models, from `packed`; Spark sends it to all workers.
    columns : list of str
        The names of the columns that Spark knows as c0, c1, and so on.
    key, label : str
        The columns of keys and labels.
    features : list of str
        The columns that models learn from.
    order : list of str
        The columns that define the order of rows.
    passed : dict of str to bool
        The columns to copy to the output, and whether they contain texts.
    quarantined : str or None
        The column with the reason why a row is not learned.
    """

    learner: bytes
    columns: list[str]
    key: str
    label: str
    features: list[str]
    order: list[str]
    passed: dict[str, bool]
    quarantined: str | None

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Start a task."""
        self._states = handle.getMapState(STATE, NAME, CONTENT)
        self._learner = unpacked(self.learner)
        self._workers = WorkerStates(self._learner)

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        """Store earlier states of keys."""
        columns = (initialState[each] for each in (KEY, "content", "summary"))
        for name, content, summary in zip(*columns):
            self._states.updateValue((name,), (bytes(content), summary))

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:
        """Predict the rows of keys, each before it is learned, then learn them."""
        given = pd.concat([*rows], ignore_index=True)
        names = {f"c{j}": name for j, name in enumerate(self.columns)}
        keys, frame, reasons = self._in_order(given[KEY], given[[*names]].rename(columns=names))
        table = {name: frame[name] for name in self.features}
        read = self._learner.read(table, keys, frame[self.label])
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
        """Learn good rows; note predictions, and rows that are rejected."""
        good = read.good
        rows = read.take(good)
        predictions = self._learner.shared.predict(rows.table, len(rows))
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
            self._workers.forget(name)
            at = group.numbers.tolist()
            for i, predicted, votes in zip(at, trained.labels, trained.votes):
                found["predicted"][i], found["votes"][i] = predicted, votes
            read.bad.update({at[i]: reason for i, reason in trained.bad.items()})

    def _in_order(
        self, keys: pd.Series, frame: pd.DataFrame
    ) -> tuple[pd.Series, pd.DataFrame, dict[int, str]]:
        """Return rows by key and in their order, and the reasons why some are not learned."""
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
        """End a task; everything is in the state store."""
