"""What a second thread gains DTEL, whose models are transferred independently of each other.

    python benchmarks/bench_dtel_parallel.py

A learner fills its archive of 25 models. Then one copy with ``n_jobs=1`` and one with
``n_jobs=2`` go on with the same chunks by `partial_fit`, in turn, several times over; the best
time of each chunk counts, so that what else the machine does counts little. "busy" is the
processor time over the wall time of the two threads, at most 2; where the machine is shared it
says how much of the second processor there was. Accuracy is that on every next chunk before it is
learned; that both learners have the same bits is checked.
"""

import time
from copy import deepcopy

import numpy as np

from driftlearn import DTELClassifier
from driftlearn._table import Table

ARCHIVE, CHUNKS, ROUNDS = 25, 6, 20
SHAPES = {"200 x 3": (200, 3), "1,000 x 54": (1000, 54)}


def chunks(number, rows, features, rng):
    """Sums of three columns against a threshold that moves; one label in ten is wrong."""
    for step in range(number):
        X = rng.uniform(size=(rows, features))
        y = X[:, :3].sum(axis=1) > 1.3 + 0.1 * (step // 5 % 4)
        yield X, (y ^ (rng.random(rows) < 0.1)).astype(int)


def compare(rows, features):
    """Return ms a chunk with one thread and with two, how busy two were, and the accuracies."""
    stream = list(chunks(ARCHIVE + CHUNKS, rows, features, np.random.default_rng(0)))
    full = DTELClassifier(n_estimators=ARCHIVE)
    for X, y in stream[:ARCHIVE]:
        full.partial_fit(X, y)
    best, busy = np.full((2, CHUNKS), np.inf), np.zeros((2, CHUNKS))
    for _ in range(ROUNDS):
        pair = [deepcopy(full).set_params(n_jobs=n_jobs) for n_jobs in (1, 2)]
        right = np.zeros(2)
        for k, (X, y) in enumerate(stream[ARCHIVE:]):
            for j, model in enumerate(pair):
                right[j] += model.score(X, y)
                wall, worked = time.perf_counter(), time.process_time()
                model.partial_fit(X, y)
                wall, worked = time.perf_counter() - wall, time.process_time() - worked
                if wall < best[j, k]:
                    best[j, k], busy[j, k] = wall, worked / wall
            assert np.array_equal(*(model.predict_proba(X) for model in pair)), "other bits"
    one, two = 1e3 * best.mean(axis=1)
    return one, two, one / two, busy[1].mean(), *(right / CHUNKS)


if __name__ == "__main__":
    found = [compare(*shape) for shape in SHAPES.values()]
    names = ("ms, 1 thread", "ms, 2 threads", "speed-up", "busy", "accuracy, 1", "accuracy, 2")
    print(f"DTEL, an archive of {ARCHIVE}, a chunk learned; the same bits with one thread and two")
    print(Table({"rows x features": list(SHAPES), **dict(zip(names, zip(*found)))}))
