"""Rows that a model needs to learn the opposite concept after a long stationary period.

    python benchmarks/come_back.py                     a million rows of one rule, then the other
    python benchmarks/come_back.py --rows 100_000 --noise 0.1

A model is trained on rows of one rule and then on rows with inverted labels; it is tested on 10,000
other rows. The rules: the side of a plane on which three normal numbers lie, and that of SEA, on
three uniform numbers, two of them relevant. Noise inverts the labels of some training rows.
"""

import argparse
from itertools import pairwise

import numpy as np

import driftlearn as dl

MARKS = 0, 1_000, 3_000, 10_000, 30_000, 100_000  # rows of the opposite rule
RULES = {
    "plane": lambda rng, n: halves(rng.normal(size=(n, 3)), lambda X: X.sum(axis=1) > 0),
    "SEA": lambda rng, n: halves(rng.random((n, 3)) * 10, lambda X: X[:, 0] + X[:, 1] <= 8),
}
LEARNERS = {
    "OnlineBoost, as published": lambda: dl.OnlineBoostClassifier.as_published(random_state=0),
    "OnlineBoost": lambda: dl.OnlineBoostClassifier(random_state=0),
    "FLC, as published": lambda: dl.FLCClassifier.as_published(random_state=0),
    "FLC": lambda: dl.FLCClassifier(random_state=0),
    "  restart_on_change": lambda: dl.FLCClassifier(restart_on_change=True, random_state=0),
}


def halves(X, rule):
    return X, rule(X).astype(int)


def noisy(y, rng, noise):
    return np.where(rng.random(len(y)) < noise, 1 - y, y)


def course(model, rule, n_rows, noise):
    """Yield the accuracy on the first rule, then on the opposite one after each number of rows."""
    rng = np.random.default_rng(0)
    test, truth = rule(rng, 10_000)
    X, y = rule(rng, n_rows)
    model.partial_fit(X, noisy(y, rng, noise))
    yield model.score(test, truth)
    X, y = rule(rng, MARKS[-1])
    y = noisy(1 - y, rng, noise)
    for start, stop in pairwise(MARKS):
        model.partial_fit(X[start:stop], y[start:stop])
        yield model.score(test, 1 - truth)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the first rule")
    parser.add_argument(
        "--noise", type=float, default=0.0, help="share of training labels that are inverted"
    )
    args = parser.parse_args()
    print(f"Accuracy after {args.rows:,} rows of one rule and n rows of its opposite")
    for rule in RULES:
        print(f"\n{rule + ', n =':<28}", *(f"{mark:>8,}" for mark in MARKS), "  restarts")
        for name, make in LEARNERS.items():
            model = make()
            scores = [
                f"{score:>8.3f}" for score in course(model, RULES[rule], args.rows, args.noise)
            ]
            print(f"{name:<28}", *scores, f"{model.n_restarts_:>10}", flush=True)


if __name__ == "__main__":
    main()
