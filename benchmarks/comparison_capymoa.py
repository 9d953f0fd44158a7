"""Job of `comparison.py` for MOA (the jar of CapyMOA); the loop over the rows is in Java.

``rows`` is CapyMOA's loop over rows in memory. ``file`` is MOA's own command in a separate process,
its task EvaluateInterleavedTestThenTrain, which reads an ARFF file incrementally; its own clock,
that of the loop's thread, excludes the start of Java. In ``chunks``, the labels of a chunk arrive
after the chunk, as for the other libraries: MOA has no such loop, so it is called from Python for
every row, which is only used for the accuracy.
"""

import csv
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from comparison_worker import Clock, peak, reset_peak


def classes(*names):
    from jpype import JClass

    return [JClass(f"moa.{name}") for name in names]


def in_memory(job):
    """Run CapyMOA's loop; the start is its import, which starts Java."""
    start, rows, learner = prepared(job)
    Cached, Evaluator, Loops = classes(
        "streams.CachedInstancesStream", "evaluation.BasicClassificationPerformanceEvaluator",
        "evaluation.EfficientEvaluationLoops",
    )  # fmt: skip
    n_rows = rows.numInstances()
    reset_peak()
    before = peak()
    with Clock() as clock:
        found = Loops.PrequentialEvaluation(
            Cached(rows), learner, Evaluator(), None, n_rows, n_rows, False, False
        )
    share = float(found.cumulativeResults[1]) / 100
    return n_rows, share, clock.seconds, start.seconds, peak() - before


def in_chunks(job):
    """Predict the rows of a chunk, then train on them, by calls from Python."""
    start, rows, learner = prepared(job)
    n_rows, size, right = rows.numInstances(), job["chunk"], 0
    reset_peak()
    before = peak()
    with Clock() as clock:
        for first in range(0, n_rows, size):
            chunk = [rows.instance(i) for i in range(first, min(first + size, n_rows))]
            if first:
                right += sum(map(learner.correctlyClassifies, chunk))
            for row in chunk:
                learner.trainOnInstance(row)
    share = right / (n_rows - size)
    return n_rows, share, clock.seconds, start.seconds, peak() - before


def prepared(job):
    """Return the clock of the start, the rows and the learner."""
    with Clock() as start:
        import capymoa  # noqa: F401
    from jpype import JClass

    Stream, Option, Classifier = classes(
        "streams.ArffFileStream", "options.ClassOption", "classifiers.Classifier"
    )
    file = Stream(job["arff"], -1)
    file.prepareForUse()
    rows = JClass("com.yahoo.labs.samoa.instances.Instances")(file.getHeader(), 0)
    while file.hasMoreInstances():
        rows.add(file.nextInstance().getData())
    learner = Option.cliStringToObject(job["text"], Classifier, None)
    learner.setModelContext(file.getHeader())
    learner.prepareForUse()
    return start, rows, learner


def by_command(job):
    """Run MOA's task on the file; its start is the same task on the first row alone."""
    first, last = task(job, 1), task(job, job["n_rows"])
    # the command checks once a second whether its task is done, so wall times may not differ
    seconds = {name: max(last[name] - first[name], last["own"]) for name in ("wall", "cpu")}
    start = {"wall": first["wall"], "cpu": first["cpu"], "own": first["own"]}
    n_rows, memory = job["n_rows"], last["peak"] - first["peak"]
    return n_rows, last["share"], {**seconds, "own": last["own"]}, start, memory


def task(job, n_rows):
    """Return the result of MOA's task on this number of rows, and the resources of its process."""
    jar = Path(importlib.util.find_spec("capymoa").origin).parent / "jar" / "moa.jar"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "found.csv")
        text = (
            f"EvaluateInterleavedTestThenTrain -l ({job['text']}) -s (ArffFileStream -f "
            f"{job['arff']}) -i {n_rows} -f {n_rows} -q {n_rows} -d {out}"
        )
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        words = ["java", "-cp", str(jar), "moa.DoTask", text]
        done = subprocess.run(words, capture_output=True, text=True)
        wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = list(csv.DictReader(out.read_text().splitlines())) if out.exists() else []
    if not lines:
        sys.exit(f"MOA: {(done.stderr or done.stdout).strip()[-300:]}")
    return {
        "share": float(lines[-1]["classifications correct (percent)"]) / 100,
        "own": float(lines[-1]["evaluation time (cpu seconds)"]),
        "wall": wall,
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "peak": after.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10),
    }


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    run = {"rows": in_memory, "file": by_command, "chunks": in_chunks}[given["way"]]
    n_rows, share, seconds, start, memory = run(given)
    right = [round(share * n_rows)]
    found = {"right": right, "tested": n_rows, "n_rows": n_rows, "seconds": seconds, "start": start}
    print(json.dumps({**found, "memory": memory}))
