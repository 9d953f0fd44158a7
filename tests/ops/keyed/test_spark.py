"""Keys on Spark: a user's query, files from the command line, and a few kills.

``tests/ops/keyed/killing_spark.py`` runs more kills.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("google.protobuf", reason="protobuf is not installed")

import pandas as pd

from driftlearn.ops.keyed import KeyedLearner
from driftlearn.ops.keyed.key_cache import packed
from driftlearn.ops.keyed.settings import DEFAULTS, Request, run
from driftlearn.ops.keyed.spark_run import master_of
from tests.ops.keyed.in_one_process import ROLES, InOneProcess
from tests.ops.keyed.killing import write_files

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java runtime"),
]
ON = "spark://local[2]"
KINDS = {"x": "number", "size": "number", "colour": "category", "day": "date"}


@pytest.fixture(scope="module")
def session():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    found = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield found
    found.stop()


def test_a_query_of_ones_own(session, tmp_path):
    """Spark's own file source, several micro-batches, rows in arbitrary order."""
    from driftlearn.ops.keyed.spark import learn, states

    rng = np.random.default_rng(0)
    n = 600
    columns = {"n": np.arange(n), "shop": rng.integers(0, 7, n), "my size": rng.normal(size=n)}
    rows = pd.DataFrame({**columns, "class": rng.choice(["red", "blue"], n)})
    rows["label"] = np.where((rows["my size"] > 0) ^ (rows["shop"] == 3), "high", "low")
    rows.loc[[5, 250], "label"] = None
    files, out, checkpoint = (tmp_path / name for name in ("in", "out", "checkpoint"))
    files.mkdir()
    for k in range(3):
        part = rows[k * 200 : (k + 1) * 200].sample(frac=1.0, random_state=k)
        part.to_parquet(files / f"{k}.parquet")
        os.utime(files / f"{k}.parquet", (k, k))
    learner = KeyedLearner("naive-bayes", kinds={"my size": "number", "class": "category"})
    schema = session.read.parquet(str(files)).schema
    stream = session.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(files))
    predicted = learn(stream, key="shop", label="label", learner=learner, order="n")
    writer = predicted.writeStream.option("path", str(out)).option(
        "checkpointLocation", str(checkpoint)
    )
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    assert query.lastProgress["batchId"] == 2

    found = sorted(session.read.parquet(str(out)).collect(), key=lambda row: row["n"])
    assert [row["n"] for row in found] == [*range(n)]
    why = {row["n"]: row["reason"] for row in found if row["reason"] is not None}
    assert why == dict.fromkeys((5, 250), "the label is missing")
    kept = states(session, str(checkpoint)).collect()
    assert len(kept) == 7
    for row in kept:
        mine = rows[(rows["shop"] == int(row["key"])) & rows["label"].notna()]
        state = learner.new_state()
        table = {name: mine[name] for name in ("my size", "class")}
        answers = learner.learn(state, table, mine["label"])
        assert bytes(row["content"]) == learner.dumps(state)
        assert [found[i]["predicted"] for i in mine["n"]] == answers.labels


def test_mistakes_in_a_query(session):
    from driftlearn.ops.keyed.spark import learn

    frame = session.createDataFrame([(1, 2.0, "a")], ["n", "size", "label"])
    learner = KeyedLearner("naive-bayes", kinds={"size": "number"})
    with pytest.raises(ValueError, match=r"no column 'shop'\. Columns found: n, size, label"):
        learn(frame, key="shop", label="label", learner=learner, order="n")
    with pytest.raises(ValueError, match="Keys must be strings or integers: cast column 'size'"):
        learn(frame, key="size", label="label", learner=learner, order="n")
    with pytest.raises(ValueError, match="Set the 'kinds' parameter of KeyedLearner"):
        learn(frame, key="n", label="label", learner=KeyedLearner("naive-bayes"), order="n")
    with pytest.raises(ValueError, match="The predictions have a column 'label'"):
        learn(frame, key="n", label="size", learner=learner, order="n", passthrough=["label"])


class Handle:
    """Spark's state handle of a processor for one key."""

    kept = None

    def getMapState(self, name, key, value):
        return self

    def getValue(self, key):
        return self.kept

    def updateValue(self, key, kept):
        self.kept = kept


def test_rows_without_order_and_rows_alike():
    """Rows with equal order columns are sorted by their values: results are deterministic."""
    from driftlearn.ops.keyed.spark import Processor

    learner = KeyedLearner("naive-bayes", kinds={"size": "number"})
    columns, passed = ["n", "key", "size", "label"], {"n": False, "key": True}
    rows = [
        (1, "a", 0.5, "low"),
        (1, "a", 0.25, "high"),
        (None, "a", 2.0, "low"),
        (0, "a", 1.0, "low"),
    ]
    found = []
    for some in (rows, rows[::-1]):
        processor = Processor(packed(learner), columns, "label", ["size"], ["n"], passed, None)
        handle = Handle()
        processor.init(handle)
        names = ["key", "c0", "c1", "c2", "c3"]
        frames = [pd.DataFrame([("a", *row)], columns=names) for row in some]
        (predicted,) = processor.handleInputRows((7,), iter(frames), None)
        found.append((handle.kept, predicted.to_json()))
    assert found[0] == found[1]
    assert predicted["label"].tolist() == ["low", "high", "low", "low"]
    why = "column 'n', which defines the order of rows, has no value"
    assert predicted["reason"].tolist() == [None, None, None, why]
    state = learner.new_state()
    learner.learn(state, {"size": [1.0, 0.25, 0.5]}, ["low", "high", "low"])
    assert handle.kept[0] == learner.dumps(state)


def test_files_as_a_source(tmp_path):
    """Micro-batches are limited by bytes; read errors are written to a file for the driver."""
    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.streaming.datasource import ReadAllAvailable

    from driftlearn.ops.keyed.spark_run import END, NOTE, REASON, ROW, _Reader

    plan = []
    for place, content in enumerate(["a,1,yes\n,2,no\n", 'a,"1,yes\n', "a,3,yes\n"]):
        path = tmp_path / f"{place}.csv"
        path.write_text(f"device,x,label\n{content}")
        looks = [path.stat().st_size, path.stat().st_mtime_ns]
        plan.append({"place": place, "path": str(path), "name": path.name, "at": None, "before": 0,
                     "stat": looks, "sample": 1})  # fmt: skip
    about = {"plan": plan, "bytes": 30, "kinds": {"x": "number"}, "skip": False,
             "settings": {**DEFAULTS, **ROLES}, "folder": str(tmp_path),
             "columns": [], "labels": {"known": [], "seen": {}}}  # fmt: skip
    reader = _Reader(about)
    limit, at = reader.getDefaultReadLimit(), reader.initialOffset()
    steps = [at := reader.latestOffset(at, limit) for _ in range(3)]
    assert [step["files"] for step in steps] == [2, 3, 3]
    assert reader.latestOffset({"files": 0}, ReadAllAvailable()) == {"files": 3}
    parts = reader.partitions({"files": 0}, {"files": 2})
    rows, end = reader.read(parts[0])
    assert rows.column(REASON).to_pylist() == [None, "the key is missing"]
    assert end.column(REASON).to_pylist() == [END] and end.column(ROW).to_pylist() == [2]
    assert '"rows": 2' in end.column(NOTE)[0].as_py()
    with pytest.raises(ValueError, match="unclosed quotation mark"):
        [*reader.read(parts[1])]
    assert "unclosed quotation mark" in (tmp_path / "problem.txt").read_text()
    Path(plan[2]["path"]).write_text("device,x,label\n")
    with pytest.raises(ValueError, match=r"has changed since the run started\. Delete"):
        [*reader.read(InputPartition(plan[2]))]


def test_files_from_the_command_line(tmp_path):
    """Results are those of one process; a second run continues with the states of the first."""
    data, state, out = tmp_path / "data", tmp_path / "state", tmp_path / "out"
    data.mkdir()
    write_files(data, 900, 0)
    rest = data / "2.csv"
    later = rest.read_bytes()
    rest.unlink()
    reference = InOneProcess("naive-bayes", KINDS)
    words = [sys.executable, "-m", "driftlearn", "learn", "data", "--target", "label", "--key",
             "device", "--kind", "x=number", "--learner", "naive-bayes", "--state", "state",
             "--on", ON, "--out", "out", "--quiet"]  # fmt: skip
    for content in (None, later):
        if content is not None:
            rest.write_bytes(content)
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
        reference.run(data).check(state).store.close()
    assert reference.clock.n_rows == 900 and not (state / "spark").exists()
    lines = [line for path in out.iterdir() for line in path.read_text().splitlines()[1:]]
    assert sorted(lines) == reference.lines()
    again = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert again.returncode == 0 and len([*out.iterdir()]) == 2  # no new rows, no task


def test_mistakes_on_the_command_line(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("device,x,label\n" + "a,1,yes\nb,2,no\n" * 20)
    given = {**ROLES, "learner": "naive-bayes"}

    def learn(on=ON, **more):
        state = tmp_path / "state"
        return run(Request(state, [str(file)], {**given, **more.pop("given", {})}, on=on, **more))

    with pytest.raises(ValueError, match="spark://host:7077 or spark://local"):
        master_of("spark://somewhere")
    with pytest.raises(ValueError, match=r"No Spark master responds at spark://127\.0\.0\.1:1"):
        learn("spark://127.0.0.1:1")
    with pytest.raises(ValueError, match="omit --follow"):
        learn(follow=True)
    with pytest.raises(ValueError, match="does not support --idle"):
        run(Request(tmp_path / "idle", [str(file)], {**given, "idle": "10"}, on=ON))
    (tmp_path / "out.csv").write_text("")
    with pytest.raises(ValueError, match="it must be a folder"):
        learn(out=str(tmp_path / "out.csv"))


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_kills():
    script = Path(__file__).parent / "killing_spark.py"
    words = [sys.executable, str(script), "--kills", "2", "--rows", "600"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=1_800)
    assert done.returncode == 0, done.stderr
    assert "the same bytes" in done.stdout
