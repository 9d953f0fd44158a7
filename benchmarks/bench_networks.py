"""Speed of fuzzy ARTMAP and of the network with an error goal, beside reference implementations.

Run it from the top of the repository: ``python benchmarks/bench_networks.py``. Both sides are
trained on the same rows, in turn; the table has the fastest of several runs. The digits of
scikit-learn replace those of the papers: 64 features, ten classes, a bootstrap sample of 1,500.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from driftlearn.neural_network.fuzzy_artmap import FuzzyARTMAPClassifier
from driftlearn.neural_network.mlp_goal import MLPGoalClassifier

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.reference.artmap import ArtmapReference
from tests.reference.mlp_goal import NETWORK_A, NETWORK_B, train_mlp

REPEATS = 7


def best_of(repeats, *functions):
    """Return the shortest time of each function; the functions run in turn."""
    times = np.empty((repeats, len(functions)))
    for row in times:
        for k, function in enumerate(functions):
            start = perf_counter()
            function()
            row[k] = perf_counter() - start
    return times.min(axis=0)


def show(what, note, fast, slow):
    print(f"{what:<38}{note:<18}{fast * 1e3:>10.2f}{slow * 1e3:>12.2f}{slow / fast:>9.1f}")


def bench_artmap(X, y):
    rows, probe = slice(0, 400), X[400:500]
    for vigilance in (0.0, 0.75, 0.9):
        model = FuzzyARTMAPClassifier(vigilance=vigilance, bounds=(0, 1), random_state=0)
        reference = ArtmapReference(rho=vigilance, bounds=(0, 1))
        times = best_of(
            2,
            lambda model=model: model.fit(X[rows], y[rows]),
            lambda reference=reference: reference.__init__(rho=reference.rho, bounds=(0, 1)),
            lambda reference=reference: reference.partial_fit(X[rows], y[rows]),
            lambda model=model: model.predict(probe),
            lambda reference=reference: reference.predict(probe),
        )
        assert np.array_equal(model.weights_, np.array(reference.weights))
        note = f"{model.n_categories_} categories"
        show(f"ARTMAP, vigilance {vigilance}, learn 400", note, times[0], times[2])
        show(f"ARTMAP, vigilance {vigilance}, predict 100", note, times[3], times[4])


def bench_networks(X, y):
    drawn = np.random.default_rng(0).choice(len(y), 1500)
    ones = np.ones(len(drawn))
    for name, network, settings in (
        ("A (gdx)", MLPGoalClassifier.network_a, NETWORK_A),
        ("B (scg)", MLPGoalClassifier.network_b, NETWORK_B),
    ):
        model = network(random_state=0)
        fast, slow = best_of(
            REPEATS,
            lambda model=model: model.fit(X[drawn], y[drawn]),
            lambda settings=settings: train_mlp(X[drawn], y[drawn], ones, 0, **settings),
        )
        show(f"network {name}, train 1,500", f"{model.n_iter_} iterations", fast, slow)
        reference = train_mlp(X[drawn], y[drawn], ones, 0, **settings)
        fast, slow = best_of(
            REPEATS,
            lambda model=model: model.predict(X),
            lambda reference=reference: reference.predict(X),
        )
        assert np.array_equal(model.predict(X), reference.predict(X))
        show(f"network {name}, predict {len(X):,}", "", fast, slow)


if __name__ == "__main__":
    X, y = load_digits(return_X_y=True)
    print(f"{'':<38}{'':<18}{'ours, ms':>10}{'reference, ms':>12}{'times':>9}")
    with threadpool_limits(1):
        bench_artmap(X / 16, y)
        bench_networks(X / 16, y)
