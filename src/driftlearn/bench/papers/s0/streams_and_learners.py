"""The two streams, and Learn++.NSE and its newest member over three base learners."""

from typing import Any

from sklearn.svm import SVC

from driftlearn import GaussianNBClassifier, LearnPPNSEClassifier, MLPGoalClassifier
from driftlearn.streams._data_set_generators import Checkerboard
from driftlearn.streams._piecewise import SEA

BASES: dict[str, Any] = {
    "MLP": MLPGoalClassifier(25, solver="scg", init="nguyen-widrow", goal=0.1, max_iter=500),
    "SVM": SVC(kernel="rbf", gamma=2.0, C=10_000),
    "NB": GaussianNBClassifier(constant="density"),
}
BASE_NAMES = {"MLP": "network", "SVM": "support vector machine", "NB": "naive Bayes"}
LEARNERS = {
    f"{kind} {base}": learner
    for base, estimator in BASES.items()
    for kind, learner in (
        ("ensemble", LearnPPNSEClassifier.as_published(estimator)),
        ("single", LearnPPNSEClassifier.as_published(estimator, 1, prune="age")),
    )
}


def board(seed: int, n_steps: int = 700) -> Checkerboard:
    """Return the rotating checkerboard of Figures 2 and 3."""
    return Checkerboard(n_steps=n_steps, random_state=seed)


def sea(seed: int, n_rows: int = 50_000) -> SEA:
    """Return the SEA concepts of Figure 4."""
    return SEA(n_rows=n_rows, noise=0.1, random_state=seed)
