"""Check suite: registry, shared helpers and runner."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

Check = Callable[[Any], None]
Condition = Callable[[Any], bool]

CHECKS: list[Check] = []
CONDITIONS: list[Condition] = []  # for each check, whether it applies to an estimator


def check_where(condition: Condition) -> Callable[[Check], Check]:
    """Return a decorator that registers a check for estimators that satisfy a condition.

    The check receives a copy of the estimator with a fixed seed.
    """

    def register(function: Check) -> Check:
        @wraps(function)
        def run(estimator: Any) -> None:
            function(seeded(estimator))

        CHECKS.append(run)
        CONDITIONS.append(condition)
        return run

    return register


check = check_where(lambda estimator: True)


def has(*parameters: str) -> Condition:
    """Return a condition: whether an estimator has all these parameters."""
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
    """Return rows of well-separated clusters, one per class; `flip` swaps the first two labels."""
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
    """Return a copy trained on a few chunks of clusters."""
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


def error_of(kind: type[Exception], what: str, call: Callable[..., Any], *arguments: Any) -> str:
    """Return the message of the error raised by a call; raise AssertionError without an error."""
    try:
        call(*arguments)
    except kind as problem:
        return str(problem)
    raise AssertionError(f"{what}: {kind.__name__} was not raised")


def checks_for(estimator: Any) -> list[Callable[[Any], None]]:
    """Return the checks that apply to an estimator."""
    return [check for check, applies in zip(CHECKS, CONDITIONS) if applies(estimator)]


def check_stream_classifier(
    estimator: Any,
    expected_failures: Mapping[str, str] | None = None,
    *,
    callback: Callable[[str, str], None] | None = None,
) -> dict[str, str]:
    """Run every check that applies to a stream classifier.

    Parameters
    ----------
    estimator : classifier with `partial_fit`
        The checks use copies of it.
    expected_failures : mapping of str to str, optional
        Checks that this learner need not pass, with reasons. A listed check that passes is an
        error, which keeps the list up to date.
    callback : callable, optional
        Called with the name and the outcome of each finished check, for example ``print``. With
        slow base learners, all checks take minutes.

    Returns
    -------
    dict
        "passed" or the reason for the expected failure, by check name.

    Raises
    ------
    AssertionError
        If a check fails; the message names the check.
    """
    excused = dict(expected_failures or {})
    unknown = excused.keys() - {check.__name__ for check in CHECKS}
    if unknown:
        raise ValueError(f"unknown checks in expected_failures: {', '.join(sorted(unknown))}")
    outcome = {}
    for check in checks_for(estimator):
        name = check.__name__
        try:
            check(estimator)
        except Exception as problem:
            if name not in excused:
                raise AssertionError(f"{name}: {problem}") from problem
            outcome[name] = excused[name]
        else:
            if name in excused:
                raise AssertionError(f"{name} passed although it is listed as an expected failure")
            outcome[name] = "passed"
        if callback is not None:
            callback(name, outcome[name])
    return outcome


def parametrize(
    estimators: list[Any], expected_failures: Mapping[str, Mapping[str, str]] | None = None
) -> Any:
    """Return a pytest decorator that parametrizes a test with every (estimator, check) pair.

    Parameters
    ----------
    estimators : list of classifiers
        The learners to test.
    expected_failures : mapping, optional
        Reasons by check name, by class name; these cases are marked as strict `xfail`.
    """
    import pytest

    excused = expected_failures or {}
    cases = []
    for estimator in estimators:
        reasons = excused.get(type(estimator).__name__, {})
        for check in checks_for(estimator):
            name = check.__name__
            reason = reasons.get(name)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            case_id = f"{type(estimator).__name__}-{name}"
            cases.append(pytest.param(estimator, check, id=case_id, marks=marks))
    return pytest.mark.parametrize("estimator, check", cases)
