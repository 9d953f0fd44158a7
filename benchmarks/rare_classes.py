"""A rare class: G-mean, accuracy and AUC of learners, with class weights and with decisions.

    python benchmarks/rare_classes.py [--rows 20000] [--seeds 3] [oaue awe:chunk_size=500 ...]

The stream has Agrawal's rules 1, 4 and 1 again, with class ratios of 1:10, 1:50 and 1:100, as in
``suite.toml``; results are means over the tuning seeds. Evaluation is prequential, row by row, or
in chunks for learners with a ``chunk_size``. One chunk learner also has trees that are grown until
their leaves are pure.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from driftlearn.evaluate import metrics
from driftlearn.specs.grammar import read
from driftlearn.specs.toml import read_toml
from driftlearn.utils.table import Table

SUITE = Path(__file__).with_name("suite.toml")
RATIOS = 10, 50, 100
ROWS = "auto", "leveraging-bagging", "onlineboost", "oaue", "arf", "oob", "iboost", "hoeffding"
CHUNKS = (
    "auto", "auto:combine=vote", "aue2", "awe", "awe:estimator=cart()", "dtel", "learn++.nse", "sea"
)  # fmt: skip
LEARNERS = *ROWS, *(f"{name}{',' if ':' in name else ':'}chunk_size=500" for name in CHUNKS)
VARIANTS = {}, {"class_weight": "balanced"}, {"decision": "balanced"}
COLUMNS = "G-mean", "accuracy", "AUC"


def scores(model, stream, seed, n_rows):
    """Return G-mean, accuracy and AUC in percent."""
    X, y = stream.make(seed).take(n_rows)
    classes = np.unique(y)
    size = getattr(model, "chunk_size", None) or 1
    labels, probas = np.empty(len(y), dtype=y.dtype), np.empty(len(y))
    for start in range(0, len(y), size):
        rows = slice(start, start + size)
        if start:
            labels[rows], probas[rows] = model.predict(X[rows]), model.predict_proba(X[rows])[:, 1]
        model.partial_fit(X[rows], y[rows], classes=classes)
    y, labels, probas = y[size:], labels[size:], probas[size:]
    counts = metrics.confusion(y, labels, classes)
    found = metrics.g_mean(counts), metrics.accuracy(counts), roc_auc_score(y, probas)
    return [100 * float(each) for each in found]


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("learners", nargs="*", default=LEARNERS, metavar="learner")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=3, help="number of tuning seeds")
    parser.add_argument("--ratio", type=int, action="append", help="1 to this; default: all")
    args = parser.parse_args()
    suite, _ = read_toml(SUITE)
    seeds = suite["tuning"]["seeds"][: args.seeds]
    text = suite["generated"]["agrawal 1 to 10"]
    for ratio in args.ratio or RATIOS:
        stream = read(text.replace("(1,10)", f"(1,{ratio})"), "stream")
        found = {name: [] for name in ("learner", "setting", *COLUMNS)}
        for each in args.learners:
            learner = read(each, "learner")
            for variant in VARIANTS:
                if variant.keys() - learner.make(0).get_params(deep=False).keys():
                    continue
                runs = [
                    scores(learner.make(seed).set_params(**variant), stream, seed, args.rows)
                    for seed in seeds
                ]
                setting = " ".join(variant) or "default"
                for name, value in zip(found, (each, setting, *np.mean(runs, axis=0).tolist())):
                    found[name].append(value)
        print(f"1 to {ratio}, {args.rows} rows, seeds {seeds}")
        print(Table(found), "\n", flush=True)


if __name__ == "__main__":
    main()
