"""Training cost of a member above which a dask cluster is faster than one process.

    python benchmarks/bench_members_on.py                  two workers on this machine
    python benchmarks/bench_members_on.py --address tcp://scheduler:8786

AUE2 updates its ten members with every chunk of 2,000 rows. The members are multilayer perceptrons
of scikit-learn with a growing number of passes over the chunk and, for comparison, Hoeffding trees.
Times are wall times per chunk with a full ensemble, the fastest of several; the cost of a member is
a tenth of the time in one process. That results are bit-identical is checked.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.neural_network import MLPClassifier

import driftlearn as dl
from driftlearn.bench.workbench.dask_executor import local_cluster
from driftlearn.cluster import members_on
from driftlearn.streams import RBF
from driftlearn.utils.table import Table

ROWS, MEMBERS, TIMED = 2_000, 10, 4


class Passes(MLPClassifier):
    """Perceptron that makes several passes over a chunk."""

    def __init__(self, passes=1, random_state=None):
        super().__init__(hidden_layer_sizes=(50,), random_state=random_state)
        self.passes = passes

    def partial_fit(self, X, y, classes=None):
        for _ in range(self.passes):
            super().partial_fit(X, y, classes=classes)
        return self

    def fit(self, X, y):
        return self.partial_fit(X, y, np.unique(y))


def ms_a_chunk(model, chunks):
    best = []
    for k, (X, y) in enumerate(chunks):
        begun = time.perf_counter()
        model.partial_fit(X, y)
        if k >= MEMBERS:
            best.append(time.perf_counter() - begun)
    return 1e3 * min(best)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--address", help="address of a scheduler; by default two workers are started"
    )
    args = parser.parse_args()
    executor = None if args.address else local_cluster(2)
    address = args.address or executor._client.scheduler.address
    n = ROWS * (MEMBERS + TIMED)
    chunks = [(c.X, c.y) for c in RBF(n_rows=n, random_state=0).chunks(ROWS)]
    bases = {"Hoeffding tree": dl.HoeffdingTreeClassifier()}
    bases |= {f"perceptron, {k} passes": Passes(k) for k in (1, 2, 5, 20)}
    rows = []
    for name, base in bases.items():
        here, there = (dl.AUE2Classifier(base, MEMBERS, random_state=0) for _ in range(2))
        alone = ms_a_chunk(here, chunks)
        with members_on(address):
            shared = ms_a_chunk(there, chunks)
        same = np.array_equal(here.predict_proba(chunks[0][0]), there.predict_proba(chunks[0][0]))
        assert same, f"{name}: other bits on the cluster"
        rows.append((name, alone / MEMBERS, alone, shared, alone / shared))
        print(f"{name}: {alone:.0f} ms here, {shared:.0f} there", flush=True)
    columns = "base learner", "ms a member", "ms a chunk", "on the cluster", "times"
    print(Table(dict(zip(columns, map(list, zip(*rows))))))
    if executor is not None:
        executor.close()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
