"""Encodings of missing values: mean of earlier values, mean and a flag, or nan.

    DRIFTLEARN_DATA=... python benchmarks/compare_missing.py [rows]

Prequential accuracy by chunks, as in `compare_encodings.py`, on electricity, weather and covertype.
Values of each column are removed, either at random or in runs of fifty rows, as when a sensor
fails. None of these sets is in the final part of the benchmark suite: the rule by which a pipeline
selects an encoding was chosen here.
"""

import sys

import numpy as np
from compare_encodings import LEARNERS, accuracy, streams

from driftlearn.preprocessing import TableEncoder, make_pipeline
from driftlearn.utils.table import Table

RUN = 50
GAPS = {"10 %": (0.1, 1), "30 %": (0.3, 1), "30 %, runs": (0.3, RUN)}
POLICIES = ("mean", "indicator", "native")
CHOSEN = ("naive Bayes", "Hoeffding tree", "leveraging bagging", "DTEL", "auto")


def with_gaps(rows, share, run, seed=0):
    """Return the table without this share of the values of each column."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, values in rows.items():
        gone = np.repeat(rng.random(-(-len(values) // run)) < share, run)[: len(values)]
        found[name] = np.where(gone, None if values.dtype == object else np.nan, values)
    return found


def main(n):
    found = []
    for name, rows, y in streams(n):
        if name not in ("electricity", "weather", "covertype"):
            continue
        for gaps, how in GAPS.items():
            table = with_gaps(rows, *how)
            for learner in CHOSEN:
                scores = [
                    accuracy(
                        make_pipeline(TableEncoder(missing=policy), LEARNERS[learner]), table, y
                    )
                    for policy in POLICIES
                ]
                found.append((name, gaps, learner, *scores))
                print(*found[-1], file=sys.stderr, flush=True)
    print(Table(dict(zip(("stream", "gaps", "learner", *POLICIES), map(list, zip(*found))))))
    for gaps in GAPS:
        for learner in CHOSEN:
            means = np.mean([row[3:] for row in found if row[1:3] == (gaps, learner)], axis=0)
            print(f"{gaps:12}{learner:20}", *(f"{mean:8.2f}" for mean in means))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3_000)
