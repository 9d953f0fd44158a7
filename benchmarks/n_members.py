"""Accuracy and CPU seconds of forests and bagging by their number of members.

    python benchmarks/n_members.py [--members 5 10 20 40]

Each of up to 20,000 rows of the tuning streams of ``suite.toml`` is predicted, then trained on;
results are means over the streams, with one seed.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import driftlearn as dl
from driftlearn.specs.grammar import read
from driftlearn.specs.toml import read_toml
from driftlearn.utils.table import Table

LEARNERS = (
    dl.AdaptiveRandomForestClassifier,
    dl.StreamingRandomPatchesClassifier,
    dl.LeveragingBaggingClassifier,
)
N_ROWS = 20_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, nargs="+", default=[5, 10, 20, 40])
    args = parser.parse_args()
    suite, _ = read_toml(Path(__file__).with_name("suite.toml"))
    found = {}
    for text in {**suite["tuning"]["streams"], **suite["generated"]}.values():
        stream = read(text, "stream").make(0)
        X, y = stream.take(min(stream.n_rows or N_ROWS, N_ROWS))
        for Learner in LEARNERS:
            for n in args.members:
                model = Learner(n_estimators=n, random_state=0)
                start = time.process_time()
                predicted = model.test_then_train(X, y, classes=np.unique(y))
                seconds = time.process_time() - start
                found.setdefault((Learner.__name__, n), []).append(
                    ((predicted == y).mean(), seconds)
                )
    means = [(*key, *np.mean(values, axis=0).tolist()) for key, values in found.items()]
    print(Table(dict(zip(("learner", "members", "accuracy", "seconds"), zip(*means)))))


if __name__ == "__main__":
    main()
