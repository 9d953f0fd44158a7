"""Speedup of learners with ``n_jobs`` by a second thread.

    python benchmarks/bench_threads.py

Chunks of 1,000 rows: chunk learners with 25 trees on 54 features, online ensembles of ten Hoeffding
trees on SEA (3 features) and RBF (10). After some chunks of training, the times of `partial_fit`
and, for online ensembles, `test_then_train` are measured; the fastest of several rounds counts for
each chunk, which reduces the effect of other load. "busy" is CPU time divided by wall time with two
threads: at most 2, and less on a shared machine. Threads poll while they wait for each other, so
that a high value alone does not show a benefit. That results are bit-identical is checked.
"""

import time

import numpy as np

import driftlearn as dl
from driftlearn.streams import RBF, SEA
from driftlearn.utils.table import Table

ROWS, WARM, TIMED, ROUNDS = 1_000, 26, 8, 4
FEW = {"n_estimators": 25}
CHUNK_LEARNERS = {
    "DTEL": (dl.DTELClassifier, FEW),
    "AWE": (dl.AWEClassifier, {"n_estimators": 25}),
    "SEA": (dl.SEAClassifier, FEW),
    "Learn++.NSE": (dl.LearnPPNSEClassifier, {**FEW, "prune": "age"}),
    "TIX": (dl.TIXClassifier, FEW),
    "DYNSE": (dl.DYNSEClassifier, FEW),
}
ONLINE = {
    "online bagging": (dl.OnlineBaggingClassifier, {}),
    "OOB": (dl.OOBClassifier, {}),
    "ADWIN bagging": (dl.ADWINBaggingClassifier, {}),
    "leveraging bagging": (dl.LeveragingBaggingClassifier, {}),
    "random forest": (dl.AdaptiveRandomForestClassifier, {}),
    "random patches": (dl.StreamingRandomPatchesClassifier, {}),
}


def wide():
    """Return 54 features, three of them relevant, with a moving threshold and 10 % label noise."""
    rng = np.random.default_rng(0)
    for step in range(WARM + TIMED):
        X = rng.uniform(size=(ROWS, 54))
        y = X[:, :3].sum(axis=1) > 1.3 + 0.1 * (step // 5 % 4)
        yield X, (y ^ (rng.random(ROWS) < 0.1)).astype(int)


def rows_of(stream):
    return [(chunk.X, chunk.y) for chunk in stream.chunks(ROWS)]


def timed(kind, params, chunks, call, n_jobs):
    """Return milliseconds per chunk, CPU time by wall time, and predictions for the last chunk."""
    best, busy = np.full(TIMED, np.inf), np.zeros(TIMED)
    for _ in range(ROUNDS):
        model = kind(**params, n_jobs=n_jobs)
        for k, chunk in enumerate(chunks, -WARM):
            wall, worked = time.perf_counter(), time.process_time()
            getattr(model, call)(*chunk)
            wall, worked = time.perf_counter() - wall, time.process_time() - worked
            if k >= 0 and wall < best[k]:
                best[k], busy[k] = wall, worked / wall
    return 1e3 * best.mean(), busy.mean(), model.predict_proba(chunks[-1][0])


def compare(learners, chunks, calls):
    """Yield a table row for each learner and method."""
    for name, (kind, params) in learners.items():
        if "random_state" in kind().get_params():
            params = {**params, "random_state": 0}
        for call in calls:
            one, _, alone = timed(kind, params, chunks, call, 1)
            two, busy, both = timed(kind, params, chunks, call, 2)
            assert np.array_equal(alone, both), f"{name}: other bits with two threads"
            yield name, call, one, two, one / two, busy


if __name__ == "__main__":
    n = ROWS * (WARM + TIMED)
    sea, rbf = SEA(n_rows=n, noise=0.1, random_state=0), RBF(n_rows=n, random_state=0)
    calls = ["partial_fit", "test_then_train"]
    tasks = {
        "25 trees, 54 features": (CHUNK_LEARNERS, list(wide()), calls[:1]),
        "10 Hoeffding trees, SEA": (ONLINE, rows_of(sea), calls),
        "10 Hoeffding trees, RBF": (ONLINE, rows_of(rbf), calls),
    }
    columns = "learner", "call", "ms, 1 thread", "ms, 2 threads", "speed-up", "busy"
    for what, task in tasks.items():
        print(f"{what}; the same bits with one thread and two")
        print(Table(dict(zip(columns, map(list, zip(*compare(*task)))))), flush=True)
