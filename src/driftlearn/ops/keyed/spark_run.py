"""``driftlearn learn --key --on spark://host:7077``: a Spark query that processes all files.

The folder of a run contains the checkpoint of the query and its output. After a crash, the same
command continues the run and repeats at most one micro-batch.

Spark's own file source reads files in the order of their modification times and has no row numbers
for CSV files. The source `Files` uses the order of a run on one machine, can continue within a
file, and emits the position of each file with its rows, so that both are stored together.
"""

import json
import logging
import os
import re
import shutil
import signal
import socket
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming import datasource as streaming
from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType

from driftlearn import io as persist
from driftlearn.ops.keyed import arrow_files, engine_run
from driftlearn.ops.keyed.arrow_files import KEY, LABEL
from driftlearn.ops.keyed.key_store import QuarantinedRow, in_stream_order
from driftlearn.ops.keyed.predictions import COLUMNS
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.rows import Rows, unreadable, used
from driftlearn.ops.keyed.spark import learn, states
from driftlearn.ops.keyed.training import MAX_QUARANTINED, Counts
from driftlearn.utils.safe_text import csv_lines

LOG, JVM, KNOWN, PROBLEM = "log.txt", "jvm.json", "known.parquet", "problem.txt"
TIMEOUT = 10.0  # seconds to wait for the master's response, and for the end of a lost JVM
OPTIONS: dict[str, Any] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.caseSensitive": "true",
}
#: A logger that warns about each key that has no state yet.
VERBOSE = "org.apache.spark.sql.execution.python.streaming.TransformWithStateInPySparkStateServer"
NAME = "driftlearn_files"  # name of the data source
PLACE, ROW, NOTE, REASON = (f"_driftlearn_{name}" for name in ("place", "row", "note", "reason"))
LINE, END = "broken line", "end of file"
BYTES = 64 * 2**20  # maximum bytes of files per micro-batch, unless a single file is larger


class SparkRun(engine_run.PlannedRun):
    """One run as a Spark query."""

    engine = "spark"

    def _check_engine(self) -> None:
        master_of(self.request.on)
        home = os.environ.get("JAVA_HOME")
        if not (Path(home, "bin", "java").exists() if home else shutil.which("java")):
            raise ValueError(
                f"--on {self.request.on} needs a Java runtime, 17 or later. Install one, or set "
                "JAVA_HOME to its folder."
            )
        super()._check_engine()

    def _prepare(self, here: Path) -> dict[str, Any]:
        n = arrow_files.write_states(here / KNOWN, arrow_files.stored_states(self.store))
        return {"plan": self.plan, "bytes": BYTES, "n_known": n}

    def _run_engine(self, here: Path, about: dict[str, Any]) -> engine_run.Outcome:
        _end_lost_jvm(here)
        (here / PROBLEM).unlink(missing_ok=True)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
                session = self._session(here)
                return self._query(session, here, about)
        except (PySparkException, Py4JError, ConnectionError, EOFError) as problem:
            if (here / PROBLEM).exists():
                raise ValueError((here / PROBLEM).read_text("utf-8")) from None
            message = str(problem).strip().partition("\n")[0]
            raise ValueError(
                f"Spark failed ({message:.300}): see {here / LOG}. No data is lost; run the same "
                "command again to continue."
            ) from problem

    def _session(self, here: Path) -> Any:
        """Start Spark with its output redirected to a file."""
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        logging.getLogger("py4j").setLevel(logging.CRITICAL)  # lost connections raise errors anyway
        builder = SparkSession.builder.master(master_of(self.request.on)).appName("driftlearn")
        with _output_to(here / LOG):
            session = builder.config(map=OPTIONS).getOrCreate()
        gateway: Any = session.sparkContext._gateway
        pid = gateway.proc.pid
        persist.atomic_write(here / JVM, json.dumps([pid, _start(pid)]).encode())
        log4j = gateway.jvm.org.apache.logging.log4j
        log4j.core.config.Configurator.setLevel(VERBOSE, log4j.Level.ERROR)
        cores = session.sparkContext.defaultParallelism
        session.conf.set("spark.sql.shuffle.partitions", max(2, cores))
        return session

    def _query(self, session: Any, here: Path, about: dict[str, Any]) -> engine_run.Outcome:
        try:
            session.dataSource.register(Files)
            frame = session.readStream.format(NAME).load(str(here))
            known = session.read.parquet(_uri(here / KNOWN)) if about["n_known"] else None
            trained = learn(
                frame, key=KEY, label=LABEL, learner=self.models.learner, order=(PLACE, ROW),
                passthrough=(NOTE,), quarantined=REASON, known=known,
            )  # fmt: skip
            path, checkpoint = _uri(here / "output"), _uri(here / "checkpoint")
            writer = trained.writeStream.format("parquet")
            writer = writer.options(path=path, checkpointLocation=checkpoint)
            writer.trigger(availableNow=True).start().awaitTermination()
            output = session.read.schema(trained.schema).parquet(path)
            states(session, checkpoint).write.mode("overwrite").parquet(_uri(here / "states"))
            if about["out"] is not None:
                _write_out(output, about)
            paths = sorted((here / "states").glob("*.parquet"))
            return engine_run.Outcome(arrow_files.read_states(paths), *_counted(output, about))
        finally:
            with suppress(Exception):
                session.stop()


def _counted(output: Any, about: dict[str, Any]) -> tuple[Counts, dict[str, Any]]:
    """Return the counts and the final positions of a query from its output."""
    plan = about["plan"]
    good, is_end = F.col("reason").isNull(), F.col("reason") == END
    tested = good & F.col("predicted").isNotNull()
    sums = {
        "rows": F.lit(1), "learned": good, "tested": tested,
        "right": tested & (F.col("predicted") == F.col("label")),
    }  # fmt: skip
    terms = {name: F.coalesce(each.cast("long"), F.lit(0)) for name, each in sums.items()}
    columns = [F.sum(each).alias(name) for name, each in terms.items()]
    by_place = output.filter(F.col(NOTE).isNull()).groupBy(PLACE).agg(*columns).collect()
    counts = Counts(**{name: sum(row[name] for row in by_place) for name in sums})
    n_rows = {row[PLACE]: row["rows"] for row in by_place}
    begins = engine_run.first_numbers(about, [n_rows.get(file["place"], 0) for file in plan])
    bad = output.filter(~good & ~is_end)
    counts.n_quarantined = bad.count()
    last = bad.orderBy(F.desc(PLACE), F.desc(ROW)).limit(MAX_QUARANTINED).collect()
    counts.quarantined = in_stream_order([
        QuarantinedRow(begins[row[PLACE]] + row[ROW], plan[row[PLACE]]["name"],
                       row[ROW] if row[NOTE] is None else None, row[KEY], row["reason"])
        for row in last
    ])  # fmt: skip
    ends = [(plan[row[PLACE]]["path"], json.loads(row[NOTE]))
            for row in output.filter(is_end).collect()]  # fmt: skip
    return counts, {path: at for path, at in ends if at}


def _write_out(output: Any, about: dict[str, Any]) -> None:
    """Write predictions in row order."""
    names = [file["name"] for file in about["plan"]]
    good = output.filter(F.col("reason").isNull()).orderBy(PLACE, ROW)
    lines = (
        [names[row[PLACE]], *(row[name] for name in (ROW, KEY, "label", "predicted", "votes"))]
        for row in good.toLocalIterator()
    )
    path = Path(about["out"], f"run-{about['number']}-part-0.csv")
    persist.atomic_write(path, csv_lines([COLUMNS]) + csv_lines(lines))


class Files(DataSource):  # type: ignore[misc, unused-ignore]
    """Data source for the files of a run; ``load(folder)`` passes the folder of the run."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the source."""
        return NAME

    def schema(self) -> StructType:
        """Return the columns: place of a row, key, label, reason if malformed, features."""
        found = {
            **dict.fromkeys((PLACE, ROW), LongType()),
            **dict.fromkeys((NOTE, REASON, KEY, LABEL), StringType()),
        }
        for name, kind in used(self._about()["kinds"]).items():
            found[name] = DoubleType() if arrow_files.is_number(kind) else StringType()
        return StructType([StructField(*field) for field in found.items()])

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return the reader."""
        return _Reader(self._about())

    def _about(self) -> dict[str, Any]:
        return json.loads(Path(self.options["path"], engine_run.ABOUT).read_text("utf-8"))


class _Reader(
    DataSourceStreamReader,  # type: ignore[misc, unused-ignore]
    streaming.SupportsTriggerAvailableNow,  # type: ignore[misc, unused-ignore]
):
    """Reader of the files of a plan; an offset is the number of files read."""

    def __init__(self, about: dict[str, Any]):
        self._about = about

    def initialOffset(self) -> dict[str, int]:
        return {"files": 0}

    def getDefaultReadLimit(self) -> streaming.ReadLimit:
        return streaming.ReadMaxBytes(self._about["bytes"])

    def prepareForTriggerAvailableNow(self) -> None:
        """Do nothing: the plan does not grow."""

    def latestOffset(self, start: dict[str, int], limit: streaming.ReadLimit) -> dict[str, int]:
        plan, most = self._about["plan"], self._about["bytes"]
        k, size = start["files"], 0
        while k < len(plan) and (size < most or isinstance(limit, streaming.ReadAllAvailable)):
            size += plan[k]["stat"][0]
            k += 1
        return {"files": k}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        return [InputPartition(file) for file in self._about["plan"][start["files"] : end["files"]]]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._read(partition.value)
        except (ValueError, OSError, ImportError) as problem:  # a retry would fail, too
            persist.atomic_write(Path(self._about["folder"], PROBLEM), str(problem).encode())
            raise

    def _read(self, file: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        before = file["before"]
        for part in engine_run.read_file(self._about, file):
            if isinstance(part, Batch):
                rows, places = part.rows, part.places
                notes = [(places[i][1], None, rows.bad.get(i)) for i in range(len(rows))]
                lines = [(before + each.at, LINE, each.reason)
                         for each in part.quarantined if each.row is None]  # fmt: skip
                if notes:
                    yield self._batch(file, notes, rows)
                if lines:
                    yield self._batch(file, lines)
            else:
                yield self._batch(file, [(part.get("rows", before), json.dumps(part), END)])

    def _batch(self, file: dict[str, Any], notes: Any, rows: Rows | None = None) -> pa.RecordBatch:
        """Return rows of a file, or notes about the file, which have no features.

        Each row has a number, a note, and a reason if it is quarantined.
        """
        n, kinds = len(notes), self._about["kinds"]
        numbers, texts, reasons = zip(*notes)
        return pa.RecordBatch.from_pydict({
            PLACE: pa.array([file["place"]] * n, pa.int64()),
            ROW: pa.array(numbers, pa.int64()),
            NOTE: pa.array(texts, pa.string()),
            REASON: pa.array(reasons, pa.string()),
            **arrow_files.arrays_of(unreadable(n, kinds, "") if rows is None else rows, kinds),
        })  # fmt: skip


def master_of(on: str) -> str:
    """Return the Spark master for ``spark://host:7077`` or ``spark://local[2]``."""
    rest = on.partition("://")[2]
    if re.fullmatch(r"local(\[(\d+|\*)\])?", rest):
        return rest
    host, _, port = rest.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f"Invalid --on {on!r}: expected spark://HOST:PORT or spark://local[N].")
    try:
        socket.create_connection((host, int(port)), TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise ValueError(
            f"No Spark master responds at {on} ({error}). Check that it is running, that the "
            "address is right and that no firewall blocks the connection."
        ) from None
    return on


def _uri(path: Path) -> str:
    """Return the URI of a local file, which does not depend on Spark's default file system."""
    return f"file://{path}"


@contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Redirect the output of processes started in this context to a file."""
    former = os.dup(1), os.dup(2)
    sys.stdout.flush()
    sys.stderr.flush()
    with open(log, "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for k, old in enumerate(former):
            os.dup2(old, k + 1)
            os.close(old)


def _start(pid: int) -> str | None:
    """Return the start time of a process, which distinguishes processes with the same id."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def _end_lost_jvm(here: Path) -> None:
    """End the JVM of a run whose driver was killed; otherwise it would keep writing for a while."""
    with suppress(OSError, ValueError):
        pid, start = json.loads((here / JVM).read_text())
        if start is None or _start(pid) != start:
            return
        os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + TIMEOUT
        while _start(pid) == start and time.monotonic() < end:
            time.sleep(0.05)
