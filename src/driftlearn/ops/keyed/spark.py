"""Keys on Spark Structured Streaming: a stateful processor, one state for each key.

The state of a key is the engine's: bytes in its state store, which move together with the position
of the rows, a micro-batch at a time. `learn` is for queries of your own; what
``driftlearn learn --key --on spark://host:7077`` runs is made of it, too.

What Spark groups rows by is not the key but one of 256 groups of keys: a call of a processor, and a
frame of pandas, cost as much as hundreds of rows, and a key has few rows in a micro-batch. A group
has a map from keys to states, so that only the states of keys that have rows are read and written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import IntegralType, StringType, StructField, StructType

from driftlearn.ops.keyed.engine import Pupils, packed, unpacked
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.rows import Rows

GROUP, KEY = "group", "key"  # what Spark groups rows by, and the key as text
GROUPS = 256
STATE = "state"  # what the states of keys are called in the state store
NAME, CONTENT = "key string", "content binary, summary string"
SAID = ("label", "predicted", "who", "why")
PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def learn(
    frame: DataFrame,
    *,
    key: str,
    label: str,
    learner: KeyedLearner,
    order: str | Sequence[str],
    keep: Sequence[str] = (),
    aside: str | None = None,
    known: DataFrame | None = None,
) -> DataFrame:
    """Have each key answer its rows and learn them.

    Rows of a key are learned micro-batch after micro-batch, and in each in the order of a column:
    Spark itself promises none. Rows that are equal in it are put in order by their values.

    Parameters
    ----------
    frame : DataFrame
        A stream of rows. (One that is no stream is learned as one micro-batch.)
    key, label : str
        The columns of keys and of labels.
    learner : KeyedLearner
        How keys learn, with the kinds of all columns; its population does not change.
    order : str or sequence of str
        The column, or columns, of numbers or times by which rows of a key come one after another.
    keep : sequence of str
        More columns that are handed on.
    aside : str, optional
        A column of texts: a row that has one is not learned, and the text is why.
    known : DataFrame, optional
        States from before, as `states` returns them.

    Returns
    -------
    DataFrame
        For each row its key, the columns of `order` and `keep`, ``label``, what was ``predicted``
        before it was learned, ``who`` said so, and if it is poisoned, ``why``.
    """
    if learner.kinds is None:
        raise ValueError(
            "it is not known what the columns hold: say KeyedLearner(..., kinds={...}), or "
            "learner.look(some rows) first"
        )
    places = [order] if isinstance(order, str) else [*order]
    passed = [key, *places, *keep]
    wanted = [*passed, label, *([] if aside is None else [aside])]
    for name in wanted:
        if name not in frame.columns:
            raise ValueError(f"there is no column {name!r}; there are {', '.join(frame.columns)}")
    taken = {*passed} & {*SAID}
    if taken:
        raise ValueError(f"what is said has a column {taken.pop()!r} of its own: rename yours")
    features = [
        name for name, kind in learner.kinds.items() if kind != "drop" and name in frame.columns
    ]
    if not isinstance(frame.schema[key].dataType, StringType | IntegralType):
        raise ValueError(f"keys are texts or whole numbers: cast column {key!r} to one of these")
    columns = [*dict.fromkeys([*wanted, *features])]
    fields = [frame.schema[name] for name in passed]
    texts = [StructField(name, StringType()) for name in SAID]
    is_text = {field.name: isinstance(field.dataType, StringType) for field in fields}
    processor = Processor(packed(learner), columns, key, label, features, places, is_text, aside)
    frame.sparkSession.conf.set("spark.sql.streaming.stateStore.providerClass", PROVIDER)
    text = F.coalesce(F.col(_quoted(key)).cast("string"), F.lit(""))  # "" is poison, too
    group = _group(text).alias(GROUP)
    # Spark passes rows as named tuples, which have no columns that are no names in Python
    safe = [F.col(_quoted(name)).alias(f"c{j}") for j, name in enumerate(columns)]
    before = None
    if known is not None:
        names = _group(F.col(KEY)).alias(GROUP), KEY, "content", "summary"
        before = known.select(*names).groupBy(GROUP)
    return (
        frame.select(group, text.alias(KEY), *safe)
        .groupBy(GROUP)
        .transformWithStateInPandas(
            processor, StructType([*fields, *texts]), "Append", "None",
            initialState=before,
        )
    )  # fmt: skip


def states(session: SparkSession, checkpoint: str) -> DataFrame:
    """Return the states of keys that a query came to.

    Parameters
    ----------
    session : SparkSession
        The session.
    checkpoint : str
        The checkpoint of the query.

    Returns
    -------
    DataFrame
        For each ``key`` its state as ``content``, which `KeyedLearner.loads` takes, and a
        ``summary`` as JSON.
    """
    found = session.read.format("statestore").option("path", checkpoint)
    value = [F.col(f"user_map_value.{name}") for name in ("content", "summary")]
    return found.option("stateVarName", STATE).load().select(F.col("user_map_key.key"), *value)


def _group(text: Column) -> Column:
    """Return which group keys belong to."""
    return F.crc32(text.cast("binary")) % GROUPS


def _quoted(name: str) -> str:
    """Return the name of a column as Spark takes it for one, whatever is in it."""
    return f"`{name.replace('`', '``')}`"


def _text(values: Any) -> pd.Series:
    """Return a column of texts as Spark takes it, whatever pandas holds such a column in."""
    found = pd.Series(values, dtype=object)
    return found.where(found.notna(), None)


class Processor(StatefulProcessor):  # type: ignore[misc, unused-ignore]
    """What the keys of a group do with their rows, for ``transformWithStateInPandas``.

    Parameters
    ----------
    learner : bytes
        The learner with its population, as `packed` gives it; Spark hands it to all workers.
    columns : list of str
        What the columns are called, which Spark knows as c0, c1, and so on.
    key, label : str
        The columns of keys and labels.
    features : list of str
        The columns that are learned from.
    order : list of str
        The columns by which rows are put in order.
    passed : dict of str to bool
        The columns that are handed on, and whether they hold texts.
    aside : str or None
        The column that says why a row is not learned.
    """

    def __init__(
        self,
        learner: bytes,
        columns: list[str],
        key: str,
        label: str,
        features: list[str],
        order: list[str],
        passed: dict[str, bool],
        aside: str | None,
    ):
        self.learner, self.columns, self.key, self.label = learner, columns, key, label
        self.features, self.order, self.passed, self.aside = features, order, passed, aside

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Begin a task."""
        self._states = handle.getMapState(STATE, NAME, CONTENT)
        self._learner = unpacked(self.learner)
        self._pupils = Pupils(self._learner)

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        """Take up what was known of keys before."""
        columns = (initialState[each] for each in (KEY, "content", "summary"))
        for name, content, summary in zip(*columns):
            self._states.updateValue((name,), (bytes(content), summary))

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:
        """Answer rows of keys, then learn them."""
        given = pd.concat([*rows], ignore_index=True)
        names = {f"c{j}": name for j, name in enumerate(self.columns)}
        keys, frame, why = self._in_order(given[KEY], given[[*names]].rename(columns=names))
        table = {name: frame[name] for name in self.features}
        read = self._learner.read(table, keys, frame[self.label])
        read.bad.update(why)
        n = len(frame)
        good = np.array([i for i in range(n) if i not in read.bad], dtype=np.intp)
        said: dict[str, list[Any]] = {name: [None] * n for name in SAID}
        said["label"] = read.labels
        if len(good):
            self._learn(read, good, said)
        for i, problem in read.bad.items():
            said["why"][i] = problem
        passed = {name: _text(frame[name].astype(object)) if is_text else frame[name]
                  for name, is_text in self.passed.items()}  # fmt: skip
        yield pd.DataFrame({**passed, **{name: _text(each) for name, each in said.items()}})

    def _learn(self, read: Rows, good: np.ndarray, said: dict[str, list[Any]]) -> None:
        """Have keys learn good rows; what they refuse becomes bad."""
        rows = read.take(good)
        names = dict.fromkeys(map(str, rows.keys))
        for name in names:
            kept = self._states.getValue((name,))
            if kept is not None:
                self._pupils.take_up(name, bytes(kept[0]))
        found, bad = self._pupils.learn_rows(rows)
        learned = {key for key, age in zip(rows.keys, found.ages) if age >= 0}
        for name in names:
            if name in learned:
                summary, content = self._pupils.give_up(name)
                self._states.updateValue((name,), (content, json.dumps(summary)))
            else:  # perhaps because its state cannot be read: it stays as it is
                self._pupils.forget(name)
        for i, predicted, who in zip(good.tolist(), found.labels, found.who):
            said["predicted"][i], said["who"][i] = predicted, who
        read.bad.update({int(good[i]): problem for i, problem in bad.items()})

    def _in_order(
        self, keys: pd.Series, frame: pd.DataFrame
    ) -> tuple[pd.Series, pd.DataFrame, dict[int, str]]:
        """Return rows by key and in their order, and what is known to be the matter with some."""
        columns = {f"by {j}": frame[name] for j, name in enumerate(self.order)}
        by = pd.DataFrame({KEY: pd.factorize(keys, sort=True)[0], **columns})
        if by.duplicated().any():
            by = by.assign(values=[repr(row) for row in frame.itertuples(index=False, name=None)])
        index = by.sort_values([*by.columns]).index
        keys, frame = (each.loc[index].reset_index(drop=True) for each in (keys, frame))
        why: dict[int, str] = {}
        for name in self.order:
            for i in np.flatnonzero(frame[name].isna()).tolist():
                why[i] = f"column {name!r}, by which rows come one after another, has no value"
        if self.aside is not None:
            told = frame[self.aside]
            why.update({i: str(told[i]) for i in np.flatnonzero(told.notna()).tolist()})
        return keys, frame, why

    def close(self) -> None:
        """End a task; all is in the state store."""
