"""Running the checks: all at once, or as pytest cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from driftlearn.checks._register import CHECKS, applies


def checks_for(estimator: Any) -> list[Callable[[Any], None]]:
    """Return the checks that apply: some need a parameter, a promise, or more than two classes."""
    return [check for check in CHECKS if applies(check, estimator)]


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
        It is cloned; the object given is not touched.
    expected_failures : mapping of str to str, optional
        Names of checks that need not hold for this learner, each with the reason. One that holds
        all the same is an error, so that the list cannot rot.
    callback : callable, optional
        Told the name and the outcome of each check when it is done, ``print`` for instance: over
        slow base learners all of them take minutes.

    Returns
    -------
    dict
        For every check "passed", or the reason why its failure was expected.

    Raises
    ------
    AssertionError
        With the name of the first check that does not hold.
    """
    excused = dict(expected_failures or {})
    unknown = excused.keys() - {check.__name__ for check in CHECKS}
    if unknown:
        raise ValueError(f"no such checks: {', '.join(sorted(unknown))}")
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
                raise AssertionError(f"{name} holds, though it is listed as an expected failure")
            outcome[name] = "passed"
        if callback is not None:
            callback(name, outcome[name])
    return outcome


def parametrize(
    estimators: list[Any], expected_failures: Mapping[str, Mapping[str, str]] | None = None
) -> Any:
    """Return a pytest decorator that gives a test function every (estimator, check) pair.

    Parameters
    ----------
    estimators : list of classifiers
        The learners to test.
    expected_failures : mapping, optional
        For a class name, a mapping of check names to reasons; these cases are marked `xfail`,
        strictly.
    """
    import pytest

    excused = expected_failures or {}
    cases = []
    for estimator in estimators:
        reasons = excused.get(type(estimator).__name__, {})
        for check in checks_for(estimator):
            name = check.__name__
            marks = []
            if name in reasons:
                marks = [pytest.mark.xfail(reason=reasons[name], strict=True)]
            case_id = f"{type(estimator).__name__}-{name}"
            cases.append(pytest.param(estimator, check, id=case_id, marks=marks))
    return pytest.mark.parametrize("estimator, check", cases)
