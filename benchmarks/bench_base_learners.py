"""Speed of online base learners, their reference implementations, river and scikit-learn.

    python benchmarks/bench_base_learners.py

Prequential, row by row, on SEA; scikit-learn gets chunks of 100 rows, since with one row per call
only its validation would be measured. The fastest of several runs counts.
"""

import sys
from pathlib import Path

import numpy as np
from _timing import best_in_turn
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).parent.parent))

from driftlearn.drift import ADWIN
from driftlearn.linear_model._logistic_model import LogisticModel
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
from driftlearn.streams import SEA
from driftlearn.tree._hoeffding_model import HoeffdingTreeModel
from driftlearn.utils.table import Table
from tests.reference.adwin import AdwinReference
from tests.reference.hoeffding import HoeffdingReference
from tests.reference.logistic import LogisticReference
from tests.reference.naive_bayes import NaiveBayesReference

N, FEW = 20_000, 2_000
RATE = 0.03  # a single model, as for the other libraries
X, LABELS = SEA(n_rows=N, noise=0.1, random_state=0).take(N)
Y = (LABELS == 1).astype(np.intp)
ROWS = [dict(enumerate(row)) for row in X.tolist()]
ERRORS = (np.random.default_rng(0).random(N) < np.where(np.arange(N) < N // 2, 0.1, 0.4)).astype(
    float
)


def test_then_train(learner, n=N):
    for i in range(n):
        learner.predict_one(X, i)
        learner.learn_one(X, i, Y[i], 1.0)


def by_reference(learner, n=FEW):
    for i in range(n):
        learner.scores(X[i])
        learner.learn_one(X[i], int(Y[i]), 1.0)


def by_river(learner, n=FEW):
    for i in range(n):
        learner.predict_one(ROWS[i])
        learner.learn_one(ROWS[i], int(Y[i]))


def by_scikit_learn(learner, n=N):
    for start in range(0, n, 100):
        part = slice(start, start + 100)
        if start:
            learner.predict(X[part])
        learner.partial_fit(X[part], Y[part], classes=[0, 1])


class Standardised:
    """scikit-learn's logistic regression by gradient descent, on standardized features."""

    def __init__(self):
        self.scaler = StandardScaler()
        self.model = SGDClassifier(loss="log_loss", learning_rate="constant", eta0=RATE)

    def predict(self, X):
        return self.model.predict(self.scaler.transform(X))

    def partial_fit(self, X, y, classes):
        self.model.partial_fit(self.scaler.partial_fit(X).transform(X), y, classes=classes)


def fed(detector, n=N):
    for error in ERRORS[:n].tolist():
        detector.update(error)


def main():
    runs = {
        "naive Bayes": {
            "driftlearn": (lambda: test_then_train(NaiveBayesModel(3, 2)), N),
            "reference": (lambda: by_reference(NaiveBayesReference(3)), FEW),
            "scikit-learn, chunks of 100": (lambda: by_scikit_learn(GaussianNB()), N),
        },
        "logistic regression": {
            "driftlearn": (lambda: test_then_train(LogisticModel(3, 2, (RATE,))), N),
            "driftlearn, five rates": (lambda: test_then_train(LogisticModel(3, 2)), N),
            "reference, five rates": (lambda: by_reference(LogisticReference(3)), FEW),
            "scikit-learn, chunks of 100": (lambda: by_scikit_learn(Standardised()), N),
        },
        "Hoeffding tree": {
            "driftlearn": (lambda: test_then_train(HoeffdingTreeModel(3, 2)), N),
            "reference": (lambda: by_reference(HoeffdingReference(3, 2)), FEW),
        },
        "ADWIN": {
            "driftlearn": (lambda: fed(ADWIN()), N),
            "reference": (lambda: fed(AdwinReference()), N),
        },
    }
    try:
        from river import drift, linear_model, naive_bayes, optim, preprocessing, tree
    except ImportError:
        print("river is not installed: pip install river")
    else:
        runs["naive Bayes"]["river"] = (lambda: by_river(naive_bayes.GaussianNB()), FEW)
        runs["logistic regression"]["river"] = (
            lambda: by_river(
                preprocessing.StandardScaler() | linear_model.LogisticRegression(optim.SGD(RATE))
            ),
            FEW,
        )
        trees = tree.HoeffdingTreeClassifier
        runs["Hoeffding tree"]["river"] = (lambda: by_river(trees(grace_period=100)), FEW)
        runs["ADWIN"]["river"] = (lambda: fed(drift.ADWIN()), N)
    rows = []
    for kind, candidates in runs.items():
        found = best_in_turn({name: function for name, (function, _) in candidates.items()})
        speed = {name: candidates[name][1] / seconds for name, seconds in found.items()}
        for name, rate in speed.items():
            rows.append((kind, name, rate, speed["driftlearn"] / rate))
    print(Table(dict(zip(("learner", "by", "rows/s", "driftlearn is faster by"), zip(*rows)))))
    print("driftlearn is called row by row from Python here; inside a compiled loop it is faster")


if __name__ == "__main__":
    main()
