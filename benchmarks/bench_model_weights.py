"""Cost of the shared models of keyed models: CPU time per row and bytes per key.

    python benchmarks/bench_model_weights.py

Microseconds, the fastest of seven: `SharedModels.predict` per row of a call with 10,000 rows,
`ModelWeights.vote` with one row per call and per row of a call with 100 rows; and the bytes that
`ModelWeights` add to the state of a key.
"""

from time import process_time

import numpy as np

from driftlearn import GaussianNBClassifier, HoeffdingTreeClassifier, LeveragingBaggingClassifier
from driftlearn import io as persist
from driftlearn.ops.keyed.model_weights import ModelWeights
from driftlearn.ops.keyed.shared_models import FROM, SharedModels
from driftlearn.preprocessing import TableEncoder, make_pipeline
from driftlearn.utils.table import Table

LEARNERS = {
    "naive Bayes": GaussianNBClassifier(),
    "Hoeffding tree": HoeffdingTreeClassifier(),
    "leveraging bagging": LeveragingBaggingClassifier(random_state=0),
}
ROWS = 10_000


def best(act, n):
    """Return the microseconds of CPU time per row of a call with n rows."""
    times = []
    for _ in range(7):
        start = process_time()
        act()
        times.append(process_time() - start)
    return round(1e6 * min(times) / n, 2)


def rows(n, seed):
    x, y, z = np.random.default_rng(seed).random((3, n))
    return {"x": x, "y": y, "z": z}, np.where(x + y > 1, "yes", "no")


def costs(learner, pool_size):
    """Return the four numbers for a learner and a size of the model pool."""
    shared = SharedModels(make_pipeline(TableEncoder(), learner), pool_size)
    shared.global_model.partial_fit(*rows(5_000, 0))
    for j in range(pool_size):
        model = make_pipeline(TableEncoder(), learner)
        shared.model_pool.append(model.partial_fit(*rows(200, j)))
        shared.names.append(f"{FROM}device-{j:06}")
    table, labels = rows(ROWS, 1)
    predictions, truth = shared.predict(table, ROWS), labels.tolist()
    own = truth[1:] + truth[:1]
    weights, empty = ModelWeights(), len(persist.dumps(ModelWeights(), compress=True))
    calls = [
        (predictions.rows(slice(i, i + 1)), own[i : i + 1], truth[i : i + 1]) for i in range(1000)
    ]
    hundred = predictions.rows(slice(0, 100)), own[:100], truth[:100]
    return (
        best(lambda: shared.predict(table, ROWS), ROWS),
        best(lambda: [weights.vote(*call) for call in calls], len(calls)),
        best(lambda: weights.vote(*hundred), 100),
        len(persist.dumps(weights, compress=True)) - empty,
    )


def main():
    found = [
        (name, pool_size, *costs(learner, pool_size))
        for name, learner in LEARNERS.items()
        for pool_size in (0, 2, 4, 8)
    ]
    columns = "learner", "borrowed", "population", "voices, one", "voices, 100", "bytes"
    print(Table(dict(zip(columns, zip(*found)))).text())


if __name__ == "__main__":
    main()
