"""Cost of testing on fixed rows at short intervals, as Grbovic and Vucetic (2011) do.

    python benchmarks/bench_holdout.py
    python benchmarks/bench_holdout.py --every 50 --rounds 5

SEA, 12,500 rows, 2,500 test rows of the first concept, M = n = 200 (naive Bayes: M = 50). For each
learner: the seconds of a run without tests, with `predict` at each test, and with one `watch` for
all tests; `gain` is the ratio of the latter two. The three run in turn, and the fastest of several
runs counts.
"""

import argparse

from _timing import best_in_turn
from sklearn.base import clone

from driftlearn import (
    FLBClassifier,
    GaussianNBClassifier,
    IBoostClassifier,
    OCBClassifier,
    WindowedAdaBoostClassifier,
)
from driftlearn.streams import SEA
from driftlearn.utils.table import Table

ROWS, TEST_ROWS = 12_500, 2_500
LEARNERS = {
    "IBoost stochastic": IBoostClassifier(),
    "IBoost batch": IBoostClassifier(update="batch"),
    "IBoost naive Bayes": IBoostClassifier(GaussianNBClassifier(), 50, weight_clip=2.0),
    "AdaBoost on the window": WindowedAdaBoostClassifier(),
    "OCB": OCBClassifier.as_published(),
    "FLB": FLBClassifier(change_level=None),
}


def learn(model, X, y, every, test):
    """Train on all rows in batches; call `test`, made once from the model, after each batch."""
    model, ask = clone(model), None
    for k in range(0, len(y), every):
        model.partial_fit(X[k : k + every], y[k : k + every])
        ask = test(model) if ask is None else ask
        ask()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, nargs="+", default=[50, 10])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    stream = SEA.iboost(random_state=0)
    batch = next(iter(stream.chunks(ROWS)))
    T, _ = stream.test_set(0, TEST_ROWS, random_state=1)
    tests = {
        "none": lambda model: lambda: None,
        "predict": lambda model: lambda: model.predict(T),
        "watch": lambda model: model.watch(T).predict,
    }
    rows = []
    for name, model in LEARNERS.items():
        for every in options.every:
            runs = {
                kind: lambda m=model, e=every, t=test: learn(m, batch.X, batch.y, e, t)
                for kind, test in tests.items()
            }
            none, predict, watch = best_in_turn(runs, options.rounds).values()
            rows.append((name, every, none, predict, watch, predict / watch))
    names = ("learner", "every", "no test", "predict", "watch", "gain")
    print(Table(dict(zip(names, zip(*rows)))))


if __name__ == "__main__":
    main()
