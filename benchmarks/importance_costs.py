"""Share of the time of ``driftlearn learn`` that the importances over time take.

    python benchmarks/importance_costs.py

Learns the daily files of the demo with several learners; prints CPU seconds and the share.
"""

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.cli._demo_days import write_days
from driftlearn.ops.checkpoint import training

LEARNERS = (
    "auto", "auto:budget=1", "auto:keep_rows=0", "arf", "logistic", "naive-bayes", "dtel",
    "refit:estimator=boosted-trees,n_chunks=28",
)  # fmt: skip


def seconds_of(learner):
    """Return the CPU seconds of learning the files, and of recording the importances."""
    spent, record = [], training.record_importances

    def timed(*arguments):
        begin = time.process_time()
        record(*arguments)
        spent.append(time.process_time() - begin)

    training.record_importances = timed
    begin = time.process_time()
    try:
        words = ["demo/days", "--target", "late", "--time", "ordered", "--learner", learner]
        done = CliRunner().invoke(main, ["learn", *words, "--state", learner.split(":")[-1], "-q"])
        assert done.exit_code == 0, done.output
    finally:
        training.record_importances = record
    return time.process_time() - begin, sum(spent)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        write_days(Path("demo"))
        for learner in LEARNERS:
            whole, part = seconds_of(learner)
            print(f"{learner:45} {whole:6.2f} s {part / whole:7.2%}", flush=True)
