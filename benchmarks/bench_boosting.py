"""Speed of boosting on one data set, beside its reference implementation and scikit-learn.

    python benchmarks/bench_boosting.py

Public `fit` of both libraries, with ten trees of depth 3, and the accuracy on held-out rows.
scikit-learn's SAMME equals AdaBoost.M1 except for the vote among more than two classes. The fastest
of several runs counts.
"""

from functools import partial

from _timing import best_in_turn
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from driftlearn import BoostingClassifier, CARTClassifier
from driftlearn.streams import ROT, SEA
from driftlearn.utils.table import Table

SETS = {
    "SEA 1,000 x 3": SEA(n_rows=3_000, noise=0.1, random_state=0).take(3_000),
    "ROT 1,000 x 2, six classes": ROT(n_rows=3_000, random_state=0).take(3_000),
}
TREE = CARTClassifier(max_depth=3)
THEIRS = DecisionTreeClassifier(max_depth=3, min_samples_split=10)
LEARNERS = {
    "driftlearn M1": lambda: BoostingClassifier(TREE, random_state=0),
    "driftlearn M2": lambda: BoostingClassifier(TREE, method="m2", random_state=0),
    "driftlearn arc-x4": lambda: BoostingClassifier(TREE, method="arc-x4", random_state=0),
    "driftlearn M1 over scikit-learn's tree": lambda: BoostingClassifier(THEIRS, random_state=0),
    "scikit-learn SAMME": lambda: AdaBoostClassifier(THEIRS, n_estimators=10, random_state=0),
}


def fitted(make, X, y):
    return make().fit(X, y)


def main():
    rows = []
    for name, (X, y) in SETS.items():
        seen, unseen = slice(1_000), slice(1_000, None)
        runs = {key: partial(fitted, make, X[seen], y[seen]) for key, make in LEARNERS.items()}
        seconds = best_in_turn(runs, rounds=9)
        for key, make in LEARNERS.items():
            model = fitted(make, X[seen], y[seen])
            ratio = seconds["scikit-learn SAMME"] / seconds[key]
            rows.append((name, key, 1e3 * seconds[key], ratio, model.score(X[unseen], y[unseen])))
    names = ("data", "learner", "ms a fit", "times scikit-learn's speed", "accuracy")
    print(Table(dict(zip(names, zip(*rows)))))


if __name__ == "__main__":
    main()
