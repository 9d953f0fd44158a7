"""``driftlearn learn --key --on spark://host:7077``: a query of Spark over files, to its end.

The folder of a run has the checkpoint of the query and what it said. A kill at any moment costs at
most a micro-batch of work: the same command goes on.
"""

from __future__ import annotations

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
from driftlearn.ops.keyed.engine import MOST_ASIDE, Counts
from driftlearn.ops.keyed.engine_run import Outcome, PlannedRun
from driftlearn.ops.keyed.key_store import Aside
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.predictions import COLUMNS, as_csv
from driftlearn.ops.keyed.settings import Request
from driftlearn.ops.keyed.state_files import read_states, stored_states, write_states
from driftlearn.utils.optional import needed

LOG, JVM, KNOWN = "log.txt", "jvm.json", "known.parquet"
PATIENCE = 10.0  # seconds to wait for the master's answer, and for the end of a lost JVM
OPTIONS: dict[str, Any] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.caseSensitive": "true",
}
#: Warns of every key that has no state yet.
CHATTY = "org.apache.spark.sql.execution.python.streaming.TransformWithStateInPySparkStateServer"


def run(request: Request) -> KeyedModels:
    """Learn all that is new in a query of Spark; return the models."""
    return SparkRun(request).run()


class SparkRun(PlannedRun):
    """One run as a query of Spark."""

    engine = "spark"

    def _check_engine(self) -> None:
        what = f"--on {self.request.on}"
        for module in ("pyspark", "pandas", "pyarrow", "google.protobuf"):
            needed(module, what)
        master_of(self.request.on)
        home = os.environ.get("JAVA_HOME")
        if not (Path(home, "bin", "java").exists() if home else shutil.which("java")):
            raise ValueError(
                f"{what} needs a Java runtime, 17 or later: install one, or say in JAVA_HOME where "
                "it is"
            )
        super()._check_engine()

    def _begin(self, here: Path) -> dict[str, Any]:
        from driftlearn.ops.keyed.spark_files import BYTES

        n = write_states(here / KNOWN, stored_states(self.store))
        return {"plan": self.plan, "bytes": BYTES, "knows": n}

    def _work(self, here: Path, about: dict[str, Any]) -> Outcome:
        _end_lost_jvm(here)
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        from driftlearn.ops.keyed.spark_files import PROBLEM

        (here / PROBLEM).unlink(missing_ok=True)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
                session = self._session(here)
                return self._query(session, here, about)
        except (PySparkException, Py4JError, ConnectionError, EOFError) as problem:
            if (here / PROBLEM).exists():
                raise ValueError((here / PROBLEM).read_text("utf-8")) from None
            said = str(problem).strip().partition("\n")[0]
            raise ValueError(
                f"Spark gave up ({said:.300}): see {here / LOG}; nothing is lost, the same command "
                "goes on"
            ) from problem

    def _session(self, here: Path) -> Any:
        """Start Spark, which writes what it has to say to a file."""
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        logging.getLogger("py4j").setLevel(logging.CRITICAL)  # what is lost is told in a sentence
        builder = SparkSession.builder.master(master_of(self.request.on)).appName("driftlearn")
        with _said_to(here / LOG):
            session = builder.config(map=OPTIONS).getOrCreate()
        gateway: Any = session.sparkContext._gateway
        pid = gateway.proc.pid
        persist.atomic_write(here / JVM, json.dumps([pid, _start(pid)]).encode())
        log4j = gateway.jvm.org.apache.logging.log4j
        log4j.core.config.Configurator.setLevel(CHATTY, log4j.Level.ERROR)
        cores = session.sparkContext.defaultParallelism
        session.conf.set("spark.sql.shuffle.partitions", max(2, cores))
        return session

    def _query(self, session: Any, here: Path, about: dict[str, Any]) -> Outcome:
        from driftlearn.ops.keyed import spark_files as files
        from driftlearn.ops.keyed.spark import learn, states

        try:
            session.dataSource.register(files.Files)
            frame = session.readStream.format(files.NAME).load(str(here))
            known = session.read.parquet(_uri(here / KNOWN)) if about["knows"] else None
            said = learn(
                frame, key=KEY, label=LABEL, learner=self.models.learner,
                order=(files.PLACE, files.ROW), keep=(files.NOTE,), aside=files.WHY, known=known,
            )  # fmt: skip
            query = (
                said.writeStream.format("parquet")
                .option("path", _uri(here / "said"))
                .option("checkpointLocation", _uri(here / "checkpoint"))
                .trigger(availableNow=True)
                .start()
            )
            query.awaitTermination()
            told = session.read.schema(said.schema).parquet(_uri(here / "said"))
            kept = states(session, _uri(here / "checkpoint"))
            kept.write.mode("overwrite").parquet(_uri(here / "states"))
            if about["out"] is not None:
                _write_out(told, about)
            found = read_states(sorted((here / "states").glob("*.parquet")))
            return Outcome(found, *_counted(told, about))
        finally:
            with suppress(Exception):
                session.stop()


def _counted(told: Any, about: dict[str, Any]) -> tuple[Counts, dict[str, Any]]:
    """Return what a query counted, and how far it read, from what it said."""
    from pyspark.sql import functions as F

    from driftlearn.ops.keyed import spark_files as files

    plan = about["plan"]
    good = F.col("why").isNull()
    tested = good & F.col("predicted").isNotNull()
    sums = {
        "rows": F.lit(1), "learned": good, "tested": tested,
        "right": tested & (F.col("predicted") == F.col("label")),
    }  # fmt: skip
    counted = told.filter(F.col(files.NOTE).isNull()).groupBy(files.PLACE)
    by_place = {
        row[files.PLACE]: row
        for row in counted.agg(
            *(F.sum(F.coalesce(each.cast("long"), F.lit(0))).alias(name)
              for name, each in sums.items())
        ).collect()
    }  # fmt: skip
    counts = Counts(**{name: sum(row[name] for row in by_place.values()) for name in sums})
    positions = {
        plan[row[files.PLACE]]["path"]: json.loads(row[files.NOTE])
        for row in told.filter(F.col("why") == files.END).collect()
    }
    begins, n = [], about["clock"]["rows"]
    for file in plan:
        begins.append(n - (0 if file["at"] is None else file["at"]["rows"]))
        n += by_place[file["place"]]["rows"] if file["place"] in by_place else 0
    bad = told.filter(~good & (F.col("why") != files.END))
    counts.n_aside = bad.count()
    last = bad.orderBy(F.desc(files.PLACE), F.desc(files.ROW)).limit(MOST_ASIDE).collect()
    for row in last:
        place, line = row[files.PLACE], row[files.NOTE] is not None
        counts.aside.append(
            Aside(begins[place] + row[files.ROW], plan[place]["name"],
                  None if line else row[files.ROW], row[KEY], row["why"])
        )  # fmt: skip
    counts.aside.sort(key=lambda each: (each.at, each.row is not None))
    return counts, {path: at for path, at in positions.items() if at}


def _write_out(told: Any, about: dict[str, Any]) -> None:
    """Write predictions, in the order of the rows."""
    from pyspark.sql import functions as F

    from driftlearn.ops.keyed import spark_files as files

    names = [file["name"] for file in about["plan"]]
    good = told.filter(F.col("why").isNull()).orderBy(files.PLACE, files.ROW)
    lines = (
        [names[row[files.PLACE]], row[files.ROW], row[KEY], row["label"], row["predicted"],
         row["who"]]
        for row in good.toLocalIterator()
    )  # fmt: skip
    path = Path(about["out"], f"run-{about['number']}-part-0.csv")
    persist.atomic_write(path, as_csv([COLUMNS]) + as_csv(lines))


def master_of(on: str) -> str:
    """Return the master of a place: ``spark://host:7077``, or ``spark://local[2]``."""
    rest = on.partition("://")[2]
    if re.fullmatch(r"local(\[(\d+|\*)\])?", rest):
        return rest
    host, _, port = rest.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f"--on {on}: say which master, as spark://host:7077 or spark://local[2]")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise ValueError(
            f"no Spark master answers at {on}: is it running, is the address right, does a "
            f"firewall stand between? ({error})"
        ) from None
    return on


def _uri(path: Path) -> str:
    """Return a path as Spark takes it for one of this machine, whatever its files are in."""
    return f"file://{path}"


@contextmanager
def _said_to(log: Path) -> Iterator[None]:
    """Have processes that are started here write to a file what they have to say."""
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
    """Return when a process was started, by which it is told from others of the same number."""
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
        end = time.monotonic() + PATIENCE
        while _start(pid) == start and time.monotonic() < end:
            time.sleep(0.05)
