"""Boosted trees against scikit-learn's and LightGBM's, on the same rows in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_boosted_trees.py

Training and prediction by the public methods, on one thread, with the same numbers of trees, leaves
and bins; four columns of ten are nominal. LightGBM is left out if it is not installed. The three
are timed in turn and the best of several runs counts; a ratio is their time to ours.
"""

import warnings
from functools import partial

import numpy as np
from _timing import best_in_turn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss

from driftlearn import BoostedTreesClassifier

SIZES = ((2_000, 15), (10_000, 15), (50_000, 30))
SETTINGS = {
    "100 trees, 31 leaves": {
        "max_iter": 100, "learning_rate": 0.1, "max_leaf_nodes": 31, "min_samples_leaf": 20,
    },
    "60 trees, 15 leaves": {
        "max_iter": 60, "learning_rate": 0.08, "max_leaf_nodes": 15, "min_samples_leaf": 40,
    },
}  # fmt: skip
THEIR_NAMES = {
    "max_iter": "n_estimators", "learning_rate": "learning_rate", "max_leaf_nodes": "num_leaves",
    "min_samples_leaf": "min_child_samples",
}  # fmt: skip


def table(n, d, rng):
    """Numbers, some of them rounded or missing, and nominal columns of 3 to 60 codes."""
    X = rng.normal(size=(n, d))
    nominal = np.arange(d - 4 * d // 10, d)
    X[:, ::3] = X[:, ::3].round(1)
    for f in nominal:
        X[:, f] = rng.choice(rng.choice([3, 8, 20, 60]), n)
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) + rng.normal(size=n)
    for f in nominal[:3]:
        score += rng.normal(size=60)[X[:, f].astype(int)]
    X[:, 4][rng.random(n) < 0.1] = np.nan
    return X, (score > np.median(score)).astype(int), nominal


def learners(nominal, setting):
    """Pairs of a name and a model whose fit takes rows and labels."""
    yield "driftlearn", BoostedTreesClassifier(nominal_features=nominal, **setting)
    yield (
        "scikit-learn",
        HistGradientBoostingClassifier(
            categorical_features=nominal, early_stopping=False, **setting
        ),
    )
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return
    named = {THEIR_NAMES[name]: value for name, value in setting.items()}
    yield "LightGBM", LGBMClassifier(n_jobs=1, verbose=-1, **named)


def compare(n, d, setting):
    """Print a line per library."""
    X, y, nominal = table(2 * n, d, np.random.default_rng(0))
    training, test = slice(n), slice(n, None)
    models = dict(learners(nominal, SETTINGS[setting]))
    how = {"LightGBM": {"categorical_feature": nominal.tolist()}}

    def fit(name):
        models[name].fit(X[training], y[training], **how.get(name, {}))

    rounds = max(3, 30_000 // n)
    fits = best_in_turn({name: partial(fit, name) for name in models}, rounds)
    predicts = best_in_turn(
        {name: partial(model.predict_proba, X[test]) for name, model in models.items()}, rounds
    )
    for name, model in models.items():
        probas = model.predict_proba(X[test])
        print(f"{f'{n:,} x {d}, {setting}':<34}{name:<13}", end="")
        for times in (fits, predicts):
            print(f"{1e3 * times[name]:>9.1f}{times[name] / times['driftlearn']:>7.2f}", end="")
        accuracy = np.mean(probas.argmax(axis=1) == y[test])
        print(f"{accuracy:>10.4f}{log_loss(y[test], probas):>10.4f}")


def main():
    warnings.filterwarnings("ignore", "X does not have valid feature names")
    print(f"{'':<47}{'fit ms':>9}{'ratio':>7}{'pred. ms':>9}{'ratio':>7}", end="")
    print(f"{'accuracy':>10}{'log loss':>10}")
    for n, d in SIZES:
        for setting in SETTINGS:
            compare(n, d, setting)


if __name__ == "__main__":
    main()
