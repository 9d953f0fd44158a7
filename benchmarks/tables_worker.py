"""Run a learner over the tables of a set, in a process of its own.

    python benchmarks/tables_worker.py JSON

The job is JSON; the result is a line of JSON on the last line of the output, and the probabilities
are written to a file. The labels of table t - delay - 1 become known before table t is predicted.
"""

import json
import pickle
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
from comparison_worker import Clock, peak, reset_peak
from tables_learners import LEARNERS, Setting
from tables_scores import scored, scores

from driftlearn.io import atomic_write


def predict_then_learn(learner, tables, delay):
    """Return the probabilities of all tables, each predicted as a whole, and the clock."""
    clock, found = Clock(), []
    for t, (frame, _) in enumerate(tables):
        with clock:
            if t > delay:
                learner.learn(*tables[t - delay - 1])
            found.append(learner.predict_proba(frame))
    return np.concatenate(found), clock


def setting_of(made, delay):
    """Return what is known of a set before its first table."""
    columns = made.tables[0][0].columns
    numbers = [name for name in columns if name not in made.words]
    return Setting(made.words, numbers, len(made.labels), delay)


def work(job):
    with open(job["set"], "rb") as file:
        made = pickle.load(file)
    learner = LEARNERS[job["learner"]].make(setting_of(made, job["delay"]))
    reset_peak()
    before = peak()
    probas, clock = predict_then_learn(learner, made.tables, job["delay"])
    y = np.concatenate([codes for _, codes in made.tables])
    sizes = [len(codes) for _, codes in made.tables]
    content = BytesIO()
    np.savez_compressed(content, y=y, sizes=sizes, probas=probas.astype(np.float32))
    atomic_write(Path(job["out"]), content.getvalue())
    found = scores(*scored(y, probas, sizes)[:2])
    return {
        "tables": len(sizes), "rows": len(y), "classes": len(made.labels), "scores": found,
        "seconds": clock.seconds["cpu"], "memory": peak() - before,
    }  # fmt: skip


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    sys.path += job["path"]
    print(json.dumps(work(job)))
