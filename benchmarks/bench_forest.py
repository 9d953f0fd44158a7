"""Adaptive random forest and streaming random patches, row by row, beside river and MOA.

    python benchmarks/bench_forest.py [--rows N]

Evaluation is prequential on the electricity data (in the folder DRIFTLEARN_DATA). First, accuracy
and rows per second of ours on all rows, over three seeds. Then all libraries with the same number
of trees on the first rows, run in turn, the fastest of several runs; accuracy is that of these
rows. Settings are each library's defaults. River and CapyMOA take one row per call by design, and
MOA's time includes the call from Python to Java. Libraries that are not installed are omitted.
"""

import argparse
import time
from functools import partial

import numpy as np
from _timing import best_in_turn

from driftlearn import AdaptiveRandomForestClassifier, StreamingRandomPatchesClassifier
from driftlearn.streams import load
from driftlearn.utils.table import Table

M = 10
OURS = {"ARF": AdaptiveRandomForestClassifier, "SRP": StreamingRandomPatchesClassifier}


def ours(name, X, y, seed=0, n_estimators=M):
    model = OURS[name](n_estimators=n_estimators, random_state=seed)
    return 100 * np.mean(np.ma.filled(model.test_then_train(X, y) == y, False))


def by_river(make, X, y):
    model, right = make(), 0
    for row, label in zip(X.tolist(), y.tolist()):
        row = dict(enumerate(row))
        right += model.predict_one(row) == label
        model.learn_one(row, label)
    return 100 * right / len(y)


def by_moa(make, X, y):
    from capymoa.stream import NumpyStream

    codes = np.unique(y, return_inverse=True)[1]
    stream = NumpyStream(X, codes)
    model, right = make(stream.get_schema()), 0
    for code in codes:
        row = stream.next_instance()
        right += model.predict(row) == code
        model.train(row)
    return 100 * right / len(y)


def others():
    """Yield the library, the name of a learner, and a function that runs it on rows."""
    try:
        from river import ensemble, forest

        yield "river", "ARF", partial(by_river, lambda: forest.ARFClassifier(n_models=M, seed=0))
        yield "river", "SRP", partial(by_river, lambda: ensemble.SRPClassifier(n_models=M, seed=0))
    except ImportError:
        print("river is not installed: pip install river")
    try:
        from capymoa.classifier import AdaptiveRandomForestClassifier as ARF
        from capymoa.classifier import StreamingRandomPatches as SRP

        yield "MOA", "ARF", partial(by_moa, lambda schema: ARF(schema, ensemble_size=M))
        yield "MOA", "SRP", partial(by_moa, lambda schema: SRP(schema, ensemble_size=M))
    except ImportError:
        print("CapyMOA is not installed: pip install capymoa (it needs Java)")


def over_seeds(X, y):
    rows = []
    for name in OURS:
        for n_estimators in (M, 10 * M):
            start = time.perf_counter()
            found = [ours(name, X, y, seed, n_estimators) for seed in range(3)]
            speed = 3 * len(y) / (time.perf_counter() - start)
            rows.append((name, n_estimators, np.mean(found), min(found), max(found), speed))
    columns = ("learner", "members", "accuracy", "lowest", "highest", "rows/s")
    print(f"electricity, {len(y)} rows, row by row, seeds 0 to 2")
    print(Table(dict(zip(columns, zip(*rows)))), "\n")


def beside_others(X, y):
    rows = []
    for library, name, run in others():
        predictions = {}
        runs = {
            "ours": lambda: predictions.update(ours=ours(name, X, y)),  # noqa: B023
            "theirs": lambda: predictions.update(theirs=run(X, y)),  # noqa: B023
        }
        found = best_in_turn(runs, rounds=2)
        speeds = len(y) / found["ours"], len(y) / found["theirs"]
        rows.append(
            (
                library,
                name,
                predictions["ours"],
                predictions["theirs"],
                *speeds,
                speeds[0] / speeds[1],
            )
        )
    if rows:
        columns = ("beside", "learner", "ours", "theirs", "our rows/s", "their rows/s", "ratio")
        print(f"{M} members, the first {len(y)} rows of electricity, row by row")
        print(Table(dict(zip(columns, zip(*rows)))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000, help="rows for the other libraries")
    n = parser.parse_args().rows
    X, y = load("electricity").take(45_312)
    over_seeds(X, y)
    beside_others(X[:n], y[:n])
