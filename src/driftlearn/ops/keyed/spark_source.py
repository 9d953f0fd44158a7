"""The files of a run as a streaming source of Spark, in the order of the plan.

Spark's own file source reads files in the order of their modification times, and has no row numbers
for CSV files. This source has the order of a run on one machine, can continue within a file, and
emits the position of each file with its rows, so that both are stored or none.
"""

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
from driftlearn.ops.keyed.arrow_rows import KEY, LABEL, arrays_of, is_number
from driftlearn.ops.keyed.engine_run import ABOUT, read_file, rows_before
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.rows import Rows, unreadable, used

NAME, PROBLEM = "driftlearn_files", "problem.txt"
PLACE, ROW, NOTE, REASON = (f"_driftlearn_{name}" for name in ("place", "row", "note", "reason"))
LINE, END = "broken line", "end of file"
BYTES = 64 * 2**20  # of files in a micro-batch, unless a single file has more


class Files(DataSource):  # type: ignore[misc, unused-ignore]
    """The files of a run; ``load(folder)`` names the folder of the run."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the source."""
        return NAME

    def schema(self) -> StructType:
        """Return the columns: place of a row, key and label, what is wrong with it, features."""
        places = [StructField(name, LongType()) for name in (PLACE, ROW)]
        texts = [StructField(name, StringType()) for name in (NOTE, REASON, KEY, LABEL)]
        features = [
            StructField(name, DoubleType() if is_number(kind) else StringType())
            for name, kind in used(self._about()["kinds"]).items()
        ]
        return StructType([*places, *texts, *features])

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return the reader."""
        return _Reader(self._about())

    def _about(self) -> dict[str, Any]:
        return json.loads(Path(self.options["path"], ABOUT).read_text("utf-8"))


class _Reader(
    DataSourceStreamReader,  # type: ignore[misc, unused-ignore]
    SupportsTriggerAvailableNow,  # type: ignore[misc, unused-ignore]
):
    """Reader of the files of a plan; an offset is the number of files that were read."""

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
        before = rows_before(file)
        for part in read_file(self._about, file):
            if isinstance(part, Batch):
                rows, n = part.rows, len(part.rows)
                if n:
                    numbers = [part.places[i][1] for i in range(n)]
                    reasons = [rows.bad.get(i) for i in range(n)]
                    yield self._batch(file, numbers, [None] * n, reasons, rows)
                lines = [each for each in part.quarantined if each.row is None]
                if lines:
                    numbers = [before + each.at for each in lines]
                    reasons = [each.reason for each in lines]
                    yield self._batch(file, numbers, [LINE] * len(lines), reasons)
            else:
                yield self._batch(file, [part.get("rows", before)], [json.dumps(part)], [END])

    def _batch(
        self,
        file: dict[str, Any],
        numbers: Sequence[int | None],
        notes: Sequence[str | None],
        reasons: Sequence[str | None],
        rows: Rows | None = None,
    ) -> pa.RecordBatch:
        """Return rows of a file, or notes about it, which have no features."""
        n, kinds = len(numbers), self._about["kinds"]
        return pa.RecordBatch.from_pydict({
            PLACE: pa.array([file["place"]] * n, pa.int64()),
            ROW: pa.array(numbers, pa.int64()),
            NOTE: pa.array(notes, pa.string()),
            REASON: pa.array(reasons, pa.string()),
            **arrays_of(unreadable(n, kinds, "") if rows is None else rows, kinds),
        })  # fmt: skip
