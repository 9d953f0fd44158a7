"""The two streams, and Learn++.NSE and its newest member over several base learners."""

from collections.abc import Mapping
from typing import Any

from sklearn.svm import SVC

from driftlearn import (
    CARTClassifier,
    GaussianNBClassifier,
    LearnPPNSEClassifier,
    MLPGoalClassifier,
)
from driftlearn.streams._data_set_generators import Checkerboard
from driftlearn.streams._piecewise import SEA

BASES: dict[str, Any] = {
    "MLP": MLPGoalClassifier(25, solver="scg", init="nguyen-widrow", goal=0.1, max_iter=500),
    "SVM": SVC(kernel="rbf", gamma=2.0, C=10_000),
    "NB": GaussianNBClassifier(constant="density"),
}
RATE_BASES = {"NB": BASES["NB"], "CART": CARTClassifier()}
BASE_NAMES = {
    "MLP": "network", "SVM": "support vector machine", "NB": "naive Bayes", "CART": "CART",
}  # fmt: skip


def both(bases: Mapping[str, Any]) -> dict[str, Any]:
    """Return Learn++.NSE and its newest member over each base learner."""
    return {
        f"{kind} {base}": learner
        for base, estimator in bases.items()
        for kind, learner in (
            ("ensemble", LearnPPNSEClassifier.as_published(estimator)),
            ("single", LearnPPNSEClassifier.as_published(estimator, 1, prune="age")),
        )
    }


def board(seed: int, n_steps: int = 700, rate: str = "constant") -> Checkerboard:
    """Return the rotating checkerboard of Figures 2 and 3."""
    return Checkerboard(n_steps=n_steps, rate=rate, random_state=seed)


def sea(seed: int, n_rows: int = 50_000) -> SEA:
    """Return the SEA concepts of Figure 4."""
    return SEA(n_rows=n_rows, noise=0.1, random_state=seed)
