"""The files of a run as a streaming source of Spark: read as everywhere, in the order of the plan.

Spark's own source of files takes them by the time of their last change, and knows no row numbers
in CSV files. This one keeps the order in which a run on one machine would read, takes up files in
the middle, and hands on the position of each with its rows, so that both count or neither does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType

from driftlearn import io as persist
from driftlearn.ops.keyed.arrow_rows import KEY, LABEL, arrays_of, is_number, wanted
from driftlearn.ops.keyed.engine_run import ABOUT, read_file
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.rows import unreadable

NAME, PROBLEM = "driftlearn_files", "problem.txt"
PLACE, ROW, NOTE, WHY = (f"_driftlearn_{name}" for name in ("place", "row", "note", "why"))
LINE, END = "a line that is no row", "the end of a file"
BYTES = 64 * 2**20  # of files in a micro-batch, unless one alone has more


class Files(DataSource):  # type: ignore[misc, unused-ignore]
    """The files of a run; ``load(folder)`` names the folder of the run."""

    @classmethod
    def name(cls) -> str:
        """Return what it is called."""
        return NAME

    def schema(self) -> StructType:
        """Return the columns: where a row is, its key and label, what is wrong, and the rest."""
        places = [StructField(name, LongType()) for name in (PLACE, ROW)]
        texts = [StructField(name, StringType()) for name in (NOTE, WHY, KEY, LABEL)]
        kinds = wanted(self._about()["kinds"])
        features = [StructField(name, _type(kind)) for name, kind in kinds.items()]
        return StructType([*places, *texts, *features])

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return the reader."""
        return _Reader(self._about())

    def _about(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(Path(self.options["path"], ABOUT).read_text("utf-8"))
        return found


class _Reader(
    DataSourceStreamReader,  # type: ignore[misc, unused-ignore]
    SupportsTriggerAvailableNow,  # type: ignore[misc, unused-ignore]
):
    """An offset is how many files of the plan were read."""

    def __init__(self, about: dict[str, Any]):
        self._about = about

    def initialOffset(self) -> dict[str, int]:
        return {"files": 0}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxBytes(self._about["bytes"])

    def prepareForTriggerAvailableNow(self) -> None:
        """Do nothing: the plan does not grow."""

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        plan, most = self._about["plan"], self._about["bytes"]
        k, size = start["files"], 0
        while k < len(plan) and (size < most or isinstance(limit, ReadAllAvailable)):
            size += plan[k]["looks"][0]
            k += 1
        return {"files": k}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return [InputPartition(file) for file in self._about["plan"][start["files"] : end["files"]]]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._read(partition.value)
        except (ValueError, OSError, ImportError) as problem:  # another try would not help
            persist.atomic_write(Path(self._about["folder"], PROBLEM), str(problem).encode())
            raise

    def _read(self, file: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        kinds, place = self._about["kinds"], file["place"]
        before = 0 if file["at"] is None else file["at"]["rows"]
        for part in read_file(self._about, file):
            if isinstance(part, Batch):
                if part.n_rows:
                    yield _batch(kinds, place, part)
                lines = [each for each in part.aside if each.row is None]
                if lines:
                    at, why = [before + each.at for each in lines], [each.why for each in lines]
                    yield _notes(kinds, place, at, [LINE] * len(at), why)
            else:
                yield _notes(kinds, place, [part.get("rows", before)], [json.dumps(part)], [END])


def _type(kind: str) -> Any:
    """Return how Spark holds a column."""
    return DoubleType() if is_number(kind) else StringType()


def _batch(kinds: dict[str, str], place: int, batch: Batch) -> pa.RecordBatch:
    """Return rows as Spark takes them."""
    n = batch.n_rows
    rows = pa.array([batch.where[i][1] for i in range(n)], pa.int64())
    why = pa.array([batch.rows.bad.get(i) for i in range(n)], pa.string())
    arrays = {PLACE: pa.array([place] * n, pa.int64()), ROW: rows, NOTE: pa.nulls(n, pa.string()),
              WHY: why, **arrays_of(batch.rows, kinds)}  # fmt: skip
    return pa.RecordBatch.from_pydict(arrays)


def _notes(
    kinds: dict[str, str], place: int, at: list[int], notes: list[str], why: list[str]
) -> pa.RecordBatch:
    """Return what is to be known of a file besides its rows."""
    n = len(at)
    arrays = {PLACE: pa.array([place] * n, pa.int64()), ROW: pa.array(at, pa.int64()),
              NOTE: pa.array(notes), WHY: pa.array(why)}  # fmt: skip
    nothing = unreadable(n, kinds, "")
    return pa.RecordBatch.from_pydict({**arrays, **arrays_of(nothing, kinds)})
