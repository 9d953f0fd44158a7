"""Rows per second, including reading, and peak memory of `driftlearn learn` on a long CSV file.

    python benchmarks/bench_learn.py --rows 1_000_000 10_000_000

A Hoeffding tree on ten numeric columns. Times are CPU seconds of a separate process, so that other
load on the machine does not count, without the start of Python.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BLOCK = 100_000
SCRIPT = """
import json, resource, sys, time
from driftlearn.ops.checkpoint.learn_run import LearnRun
begun = time.process_time()
kept = LearnRun(sys.argv[1], [sys.argv[2]], {"target": "label", "learner": sys.argv[3]}).run()
print(json.dumps({
    "rows": kept.record.n_rows, "seconds": time.process_time() - begun,
    "accuracy": kept.record.accuracy()["model"],
    "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


def write(path, n_rows, seed=0):
    """Yield blocks of rows; the labeling rule changes from block to block."""
    rng = np.random.default_rng(seed)
    with open(path, "w") as file:
        file.write(",".join([*(f"x{j}" for j in range(10)), "label"]) + "\n")
        blocks = []
        for k in range(min(5, -(-n_rows // BLOCK))):
            X = rng.normal(size=(BLOCK, 10)).round(4)
            up = X[:, k] + X[:, 5 + k] > 0
            rows = (",".join([*map(str, x), "up" if u else "down"]) for x, u in zip(X.tolist(), up))
            blocks.append("\n".join(rows) + "\n")
        for k in range(-(-n_rows // BLOCK)):
            left = n_rows - k * BLOCK
            block = blocks[k % len(blocks)]
            file.write(block if left >= BLOCK else "".join(block.splitlines(True)[:left]))


def measure(folder, n_rows, learner):
    path = Path(folder, "rows.csv")
    write(path, n_rows)
    state = Path(folder, f"state{n_rows}")
    words = [sys.executable, "-c", SCRIPT, str(state), str(path), learner]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ})
    found = json.loads(done.stdout)
    found["rows/s"] = found["rows"] / found["seconds"]
    return {**found, "MB of CSV": path.stat().st_size >> 20}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--learner", default="hoeffding")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for n in given.rows:
            found = measure(folder, n, given.learner)
            shown = {key: round(value, 3) for key, value in found.items()}
            print("  ".join(f"{key} {value:,}" for key, value in shown.items()), flush=True)
