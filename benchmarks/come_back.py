"""How many rows of the opposite rule a long life needs until the new rule is known.

    python benchmarks/come_back.py                     a million rows of one rule, then the other
    python benchmarks/come_back.py --rows 100_000

The rows are those of SEA without noise; a model learns one rule and then its opposite, with the
labels exchanged, and is tested on 10,000 other rows of the opposite rule.
"""

import argparse

import driftlearn as dl
from driftlearn.streams import SEA

MARKS = 0, 1_000, 3_000, 10_000, 30_000  # rows of the opposite rule
LEARNERS = {
    "OnlineBoost": dl.OnlineBoostClassifier(random_state=0),
    "OnlineBoost, restart_delta=0.002": dl.OnlineBoostClassifier(
        restart_delta=0.002, random_state=0
    ),
    "FLC": dl.FLCClassifier(random_state=0),
    "FLC, replace_worst_on_change": dl.FLCClassifier(replace_worst_on_change=True, random_state=0),
    "FLC, restart_on_change": dl.FLCClassifier(restart_on_change=True, random_state=0),
}


def rule(n_rows, seed):
    return SEA(thresholds=(8,), n_rows=n_rows, noise=0.0, random_state=seed)


def course(model, n_rows):
    """Yield the accuracy on the old rule, then on the opposite one after each number of rows."""
    stream = rule(n_rows, seed=0)
    for batch in stream.chunks(min(n_rows, 10_000)):
        model.partial_fit(batch.X, batch.y)
    X, y = stream.test_set(n_rows - 1, 10_000, random_state=1)
    yield model.score(X, y)
    opposite = next(iter(rule(MARKS[-1], seed=2).chunks(MARKS[-1])))
    for start, stop in zip(MARKS, MARKS[1:]):
        model.partial_fit(opposite.X[start:stop], 1 - opposite.y[start:stop])
        yield model.score(X, 1 - y)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the first rule")
    n_rows = parser.parse_args().rows
    print(f"Accuracy after {n_rows:,} rows of one rule and n rows of its opposite\n")
    print(f"{'n =':<34}", *(f"{mark:>8,}" for mark in MARKS), "  restarts")
    for name, model in LEARNERS.items():
        scores = [f"{score:>8.3f}" for score in course(model, n_rows)]
        print(f"{name:<34}", *scores, f"{getattr(model, 'n_restarts_', 0):>10}", flush=True)


if __name__ == "__main__":
    main()
