"""Accuracy and speed of bagging ensembles, DDD and OAUE, beside river and CapyMOA.

    python benchmarks/bench_bagging.py [--rows 45312] [--seeds 3] [--few 5000] [--defaults]

All ensembles have ten Hoeffding trees with the same settings. The data are electricity if its file
is available, otherwise SEA. Evaluation is prequential. driftlearn gets all rows in one call; river
and CapyMOA take one row per call by design and get the first rows only, on which ours are timed
again. All run in turn, and the fastest of several runs counts. Libraries that are not installed are
omitted. With ``--defaults`` only ours are run, with the default trees and number of members.
"""

import argparse
import time
from functools import partial

import numpy as np
from _timing import best_in_turn

from driftlearn import (
    ADWINBaggingClassifier,
    DDDClassifier,
    HoeffdingTreeClassifier,
    LeveragingBaggingClassifier,
    OAUEClassifier,
    OnlineBaggingClassifier,
    OOBClassifier,
    UOBClassifier,
)
from driftlearn.streams import SEA, load
from driftlearn.utils.table import Table

M = 10
TREE = HoeffdingTreeClassifier(grace_period=100, delta=0.01, tie_threshold=0.05)
OURS = {
    "online bagging": (OnlineBaggingClassifier, {}),
    "ADWIN bagging": (ADWINBaggingClassifier, {"vote": "soft"}),
    "leveraging bagging": (LeveragingBaggingClassifier, {}),
    **{
        f"leveraging bagging, {draws}": (LeveragingBaggingClassifier, {"draws": draws})
        for draws in ("me", "half", "wt", "subag")
    },
    "leveraging bagging, codes": (LeveragingBaggingClassifier, {"codes": True}),
    "OOB": (OOBClassifier, {}),
    "UOB": (UOBClassifier, {}),
    "DDD": (DDDClassifier, {}),
    "DDD, ADWIN": (DDDClassifier, {"detector": "adwin"}),
    "OAUE": (OAUEClassifier, {}),
    "OAUE, nonlinear": (OAUEClassifier, {"weighting": "nonlinear"}),
}


def ours(name, X, y, seed=0, base=(TREE, M)):
    """Evaluate prequentially on all rows; return the accuracy."""
    kind, how = OURS[name]
    model = kind(*base, random_state=seed, **how)
    return (model.test_then_train(X, y) == y).sum() / len(y)


def every_way(X, y, seeds, base):
    rows = []
    for name in OURS:
        begun = time.process_time()
        right = [100 * ours(name, X, y, seed, base) for seed in range(seeds)]
        spent = time.process_time() - begun
        rows.append((name, np.mean(right), min(right), max(right), seeds * len(y) / spent))
    columns = ("learner", "% right", "least", "most", "rows/s")
    print(Table(dict(zip(columns, zip(*rows)))), "\n")


def against_river(X, y):
    try:
        from river import ensemble, tree
    except ImportError:
        print("river is not installed: pip install river\n")
        return
    dicts, labels = [dict(enumerate(row)) for row in X.tolist()], y.tolist()
    kinds = {
        "online bagging": ensemble.BaggingClassifier,
        "ADWIN bagging": ensemble.ADWINBaggingClassifier,
        "leveraging bagging": ensemble.LeveragingBaggingClassifier,
    }

    def theirs(kind):
        base = tree.HoeffdingTreeClassifier(grace_period=100, delta=0.01, tau=0.05)
        model, right = kind(base, n_models=M, seed=0), 0
        for row, label in zip(dicts, labels):
            right += model.predict_one(row) == label
            model.learn_one(row, label)
        return right / len(labels)

    compare("river", X, y, {name: partial(theirs, kind) for name, kind in kinds.items()})


def against_capymoa(X, y):
    try:
        from capymoa import classifier
        from capymoa.stream import NumpyStream
    except ImportError:
        print("CapyMOA is not installed: pip install capymoa (it needs Java)\n")
        return
    codes = np.unique(y, return_inverse=True)[1]
    stream = NumpyStream(X, codes)
    rows, schema = [], stream.get_schema()
    while stream.has_more_instances():
        rows.append(stream.next_instance())
    kinds = {
        "online bagging": classifier.OnlineBagging,
        "ADWIN bagging": classifier.OnlineAdwinBagging,
        "leveraging bagging": classifier.LeveragingBagging,
    }

    def theirs(kind):
        base = classifier.HoeffdingTree(schema, grace_period=100, confidence=0.01)
        model, right = kind(schema, base_learner=base, ensemble_size=M), 0
        for row in rows:
            right += model.predict(row) == row.y_index
            model.train(row)
        return right / len(rows)

    compare("CapyMOA", X, y, {name: partial(theirs, kind) for name, kind in kinds.items()})


def compare(library, X, y, others):
    rows, n = [], len(y)
    for name, theirs in others.items():
        right = 100 * ours(name, X, y), 100 * theirs()
        found = best_in_turn({"ours": partial(ours, name, X, y), "theirs": theirs}, rounds=2)
        speed = n / found["ours"], n / found["theirs"]
        rows.append((name, *right, *speed, found["theirs"] / found["ours"]))
    columns = ("learner", "% right", f"{library} %", "rows/s", f"{library} rows/s", "ratio")
    print(f"the first {n} rows, one seed")
    print(Table(dict(zip(columns, zip(*rows)))), "\n")


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=45_312)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--few", type=int, default=5_000)
    parser.add_argument("--defaults", action="store_true")
    args = parser.parse_args()
    try:
        stream = load("electricity", n_rows=args.rows)
    except FileNotFoundError:
        stream = SEA(n_rows=args.rows, noise=0.1, random_state=0)
    X, y = stream.take(args.rows)
    print(
        "default" if args.defaults else M,
        f"Hoeffding trees, {len(y)} rows of {stream!r}, {args.seeds} seeds, rows a CPU second",
    )
    every_way(X, y, args.seeds, () if args.defaults else (TREE, M))
    if args.defaults:
        return
    against_river(X[: args.few], y[: args.few])
    against_capymoa(X[: args.few], y[: args.few])


if __name__ == "__main__":
    main()
