"""``driftlearn learn --key --on spark://host:7077``: a query of Spark over files, to its end.

The folder of a run contains the checkpoint of the query and its output. A crash at any moment costs
at most a micro-batch of work: the same command continues.
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

from driftlearn import io as persist
from driftlearn.ops.keyed.arrow_rows import KEY, LABEL
from driftlearn.ops.keyed.engine_run import Outcome, PlannedRun, first_numbers
from driftlearn.ops.keyed.key_store import QuarantinedRow, in_stream_order
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.prediction_file import COLUMNS, as_csv
from driftlearn.ops.keyed.settings import Request
from driftlearn.ops.keyed.state_files import read_states, stored_states, write_states
from driftlearn.ops.keyed.training import MAX_QUARANTINED, Counts
from driftlearn.utils.optional import needed

LOG, JVM, KNOWN = "log.txt", "jvm.json", "known.parquet"
TIMEOUT = 10.0  # seconds to wait for the master's answer, and for the end of a lost JVM
OPTIONS: dict[str, Any] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.caseSensitive": "true",
}
#: A logger that warns of each key that has no state yet.
VERBOSE = "org.apache.spark.sql.execution.python.streaming.TransformWithStateInPySparkStateServer"


def run(request: Request) -> KeyedModels:
    """Learn all new rows in a query of Spark; return the models."""
    return SparkRun(request).run()


class SparkRun(PlannedRun):
    """One run as a query of Spark."""

    engine = "spark"

    def _check_engine(self) -> None:
        option = f"--on {self.request.on}"
        for module in ("pyspark", "pandas", "pyarrow", "google.protobuf"):
            needed(module, option)
        master_of(self.request.on)
        home = os.environ.get("JAVA_HOME")
        if not (Path(home, "bin", "java").exists() if home else shutil.which("java")):
            raise ValueError(
                f"{option} needs a Java runtime, 17 or later. Install one, or set JAVA_HOME to its "
                "folder."
            )
        super()._check_engine()

    def _prepare(self, here: Path) -> dict[str, Any]:
        from driftlearn.ops.keyed.spark_source import BYTES

        n = write_states(here / KNOWN, stored_states(self.store))
        return {"plan": self.plan, "bytes": BYTES, "knows": n}

    def _run_engine(self, here: Path, about: dict[str, Any]) -> Outcome:
        _end_lost_jvm(here)
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        from driftlearn.ops.keyed.spark_source import PROBLEM

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
                f"Spark failed ({message:.300}): see {here / LOG}. Nothing is lost; the same "
                "command continues."
            ) from problem

    def _session(self, here: Path) -> Any:
        """Start Spark with its output redirected to a file."""
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        logging.getLogger("py4j").setLevel(logging.CRITICAL)  # lost connections raise errors
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

    def _query(self, session: Any, here: Path, about: dict[str, Any]) -> Outcome:
        from driftlearn.ops.keyed import spark_source as source
        from driftlearn.ops.keyed.spark import learn, states

        try:
            session.dataSource.register(source.Files)
            frame = session.readStream.format(source.NAME).load(str(here))
            known = session.read.parquet(_uri(here / KNOWN)) if about["knows"] else None
            trained = learn(
                frame, key=KEY, label=LABEL, learner=self.models.learner,
                order=(source.PLACE, source.ROW), passthrough=(source.NOTE,),
                quarantined=source.REASON, known=known,
            )  # fmt: skip
            query = (
                trained.writeStream.format("parquet")
                .option("path", _uri(here / "output"))
                .option("checkpointLocation", _uri(here / "checkpoint"))
                .trigger(availableNow=True)
                .start()
            )
            query.awaitTermination()
            output = session.read.schema(trained.schema).parquet(_uri(here / "output"))
            found = states(session, _uri(here / "checkpoint"))
            found.write.mode("overwrite").parquet(_uri(here / "states"))
            if about["out"] is not None:
                _write_out(output, about)
            paths = sorted((here / "states").glob("*.parquet"))
            return Outcome(read_states(paths), *_counted(output, about))
        finally:
            with suppress(Exception):
                session.stop()


def _counted(output: Any, about: dict[str, Any]) -> tuple[Counts, dict[str, Any]]:
    """Return the counts of a query and its final positions, from its output."""
    from pyspark.sql import functions as F

    from driftlearn.ops.keyed.spark_source import END, NOTE, PLACE, ROW

    plan = about["plan"]
    good, is_end = F.col("reason").isNull(), F.col("reason") == END
    tested = good & F.col("predicted").isNotNull()
    sums = {
        "rows": F.lit(1), "learned": good, "tested": tested,
        "right": tested & (F.col("predicted") == F.col("label")),
    }  # fmt: skip
    columns = [
        F.sum(F.coalesce(each.cast("long"), F.lit(0))).alias(name) for name, each in sums.items()
    ]
    by_place = output.filter(F.col(NOTE).isNull()).groupBy(PLACE).agg(*columns).collect()
    counts = Counts(**{name: sum(row[name] for row in by_place) for name in sums})
    n_rows = {row[PLACE]: row["rows"] for row in by_place}
    begins = first_numbers(about, [n_rows.get(file["place"], 0) for file in plan])
    bad = output.filter(~good & ~is_end)
    counts.n_quarantined = bad.count()
    last = bad.orderBy(F.desc(PLACE), F.desc(ROW)).limit(MAX_QUARANTINED).collect()
    quarantined = []
    for row in last:
        place, is_line = row[PLACE], row[NOTE] is not None
        number = begins[place] + row[ROW]
        quarantined.append(
            QuarantinedRow(
                number, plan[place]["name"], None if is_line else row[ROW], row[KEY], row["reason"]
            )
        )
    counts.quarantined = in_stream_order(quarantined)
    positions = {
        plan[row[PLACE]]["path"]: json.loads(row[NOTE]) for row in output.filter(is_end).collect()
    }
    return counts, {path: at for path, at in positions.items() if at}


def _write_out(output: Any, about: dict[str, Any]) -> None:
    """Write predictions in the order of the rows."""
    from pyspark.sql import functions as F

    from driftlearn.ops.keyed.spark_source import PLACE, ROW

    names = [file["name"] for file in about["plan"]]
    good = output.filter(F.col("reason").isNull()).orderBy(PLACE, ROW)
    lines = (
        [names[row[PLACE]], *(row[name] for name in (ROW, KEY, "label", "predicted", "votes"))]
        for row in good.toLocalIterator()
    )
    path = Path(about["out"], f"run-{about['number']}-part-0.csv")
    persist.atomic_write(path, as_csv([COLUMNS]) + as_csv(lines))


def master_of(on: str) -> str:
    """Return the master for ``spark://host:7077`` or ``spark://local[2]``."""
    rest = on.partition("://")[2]
    if re.fullmatch(r"local(\[(\d+|\*)\])?", rest):
        return rest
    host, _, port = rest.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(
            f"Invalid --on {on!r}: expected a master, e.g. spark://host:7077 or spark://local[2]."
        )
    try:
        socket.create_connection((host, int(port)), TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise ValueError(
            f"No Spark master answers at {on} ({error}). Check that it is running, that the "
            "address is right and that no firewall blocks the connection."
        ) from None
    return on


def _uri(path: Path) -> str:
    """Return a path as the URI of a local file, whatever Spark's default file system is."""
    return f"file://{path}"


@contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Redirect the output of processes that are started here to a file."""
    kept = os.dup(1), os.dup(2)
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
        for k, old in enumerate(kept):
            os.dup2(old, k + 1)
            os.close(old)


def _start(pid: int) -> str | None:
    """Return the start time of a process, which distinguishes it from others with the same id."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def _end_lost_jvm(here: Path) -> None:
    """End the JVM of a run whose driver was killed: it would go on writing for a while."""
    with suppress(OSError, ValueError):
        pid, start = json.loads((here / JVM).read_text())
        if start is None or _start(pid) != start:
            return
        os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + TIMEOUT
        while _start(pid) == start and time.monotonic() < end:
            time.sleep(0.05)
