"""Registry of the checks and their conditions, and helpers that the checks share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

Check = Callable[[Any], None]
Condition = Callable[[Any], bool]

CHECKS: list[Check] = []
CONDITIONS: dict[str, Condition] = {}


def check(function: Check) -> Check:
    """Register a check; it gets a copy of the estimator, with a fixed seed."""

    @wraps(function)
    def entered(estimator: Any) -> None:
        function(seeded(estimator))

    CHECKS.append(entered)
    return entered


def check_where(condition: Condition) -> Callable[[Check], Check]:
    """Return a decorator that registers a check for estimators that satisfy a condition."""

    def enter(function: Check) -> Check:
        CONDITIONS[function.__name__] = condition
        return check(function)

    return enter


def applies(check: Check, estimator: Any) -> bool:
    """Return whether a check applies to an estimator."""
    return check.__name__ not in CONDITIONS or CONDITIONS[check.__name__](estimator)


def has(*parameters: str) -> Condition:
    """Return the condition that an estimator has all these parameters."""
    return lambda estimator: set(parameters) <= estimator.get_params().keys()


def takes_many_classes(estimator: Any) -> bool:
    """Return whether a classifier supports more than two classes, by its scikit-learn tags."""
    tags = getattr(get_tags(estimator), "classifier_tags", None)
    return tags is None or bool(tags.multi_class)


def some_classes(estimator: Any) -> tuple[int, ...]:
    """Return three classes, or two for a binary classifier."""
    return (0, 1, 2) if takes_many_classes(estimator) else (0, 1)


def blobs(
    n: int, seed: int, classes: tuple[int, ...] = (0, 1), flip: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of well separated clusters, one per class; `flip` swaps the first two labels."""
    rng = np.random.default_rng([seed, len(classes)])
    y = rng.integers(len(classes), size=n)
    y[: len(classes)] = np.arange(len(classes))[:n]
    angle = 2 * np.pi * y / max(3, len(classes))
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * 4 + rng.normal(size=(n, 2))
    labels = np.array(classes)
    if flip:
        labels = labels[[1, 0, *range(2, len(classes))]]
    return X, labels[y]


def seeded(estimator: Any, seed: int = 0) -> Any:
    """Return an unfitted copy with this seed."""
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return estimator


def trained(estimator: Any, n_chunks: int = 4, n: int = 100, **how: Any) -> Any:
    """Return a copy that was trained on a few chunks of clusters."""
    estimator = seeded(estimator)
    for k in range(n_chunks):
        estimator.partial_fit(*blobs(n, seed=k, **how))
    return estimator


def same(a: Any, b: Any, X: np.ndarray, what: str) -> None:
    """Raise AssertionError unless two models have bit-identical predictions for these rows."""
    if not np.array_equal(a.predict(X), b.predict(X)):
        raise AssertionError(f"predictions differ: {what}")
    if hasattr(a, "predict_proba") and not np.array_equal(a.predict_proba(X), b.predict_proba(X)):
        raise AssertionError(f"probabilities differ: {what}")
