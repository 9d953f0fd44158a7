"""Effect of class_weight="balanced" with a rare class: G-mean and accuracy, before and after.

    python benchmarks/rare_classes.py [--rows 20000] [--seeds 3] [oaue awe:chunk_size=500 ...]

The stream has Agrawal's rules 1, 4 and 1 again, with class ratios of 1:10 and 1:100, as in
``suite.toml``; results are means over the tuning seeds. Evaluation is prequential; chunk learners
are trained on 500 rows at a time, and their rows count from the first prediction on. One chunk
learner also has trees that are grown until their leaves are pure.
"""

import argparse
from pathlib import Path

import numpy as np

from driftlearn.evaluate import metrics
from driftlearn.specs.grammar import read
from driftlearn.specs.toml import read_toml
from driftlearn.utils.table import Table

SUITE = Path(__file__).with_name("suite.toml")
STREAMS = "agrawal 1 to 10", "agrawal 1 to 100"
ROWS = "auto", "leveraging-bagging", "onlineboost", "oaue", "arf", "oob", "iboost", "hoeffding"
CHUNKS = "aue2", "awe", "awe:estimator=cart()", "dtel", "learn++.nse", "sea"
LEARNERS = *ROWS, *(f"{name}{',' if ':' in name else ':'}chunk_size=500" for name in CHUNKS)


def scores(learner, stream, seed, n_rows):
    """Return G-mean and accuracy in percent, first with defaults, then balanced."""
    X, y = stream.make(seed).take(n_rows)
    found = []
    for class_weight in (None, "balanced"):
        model = learner.make(seed).set_params(class_weight=class_weight)
        predictions = model.test_then_train(X, y, classes=np.unique(y))
        args = ~np.ma.getmaskarray(predictions)
        counts = metrics.confusion(y[args], np.asarray(predictions[args]), np.unique(y))
        found.append([100 * metrics.g_mean(counts), 100 * metrics.accuracy(counts)])
    return found


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("learners", nargs="*", default=LEARNERS, metavar="learner")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=3, help="number of tuning seeds")
    args = parser.parse_args()
    suite, _ = read_toml(SUITE)
    seeds = suite["tuning"]["seeds"][: args.seeds]
    columns = "learner", "G-mean", "balanced", "accuracy", "balanced, accuracy"
    for name in STREAMS:
        stream, rows = read(suite["generated"][name], "stream"), []
        for each in args.learners:
            learner = read(each, "learner")
            found = np.mean([scores(learner, stream, seed, args.rows) for seed in seeds], axis=0)
            rows.append((each, *found.T.ravel().tolist()))
        print(f"{name}, {args.rows} rows, seeds {seeds}")
        print(Table(dict(zip(columns, zip(*rows)))), "\n", flush=True)


if __name__ == "__main__":
    main()
