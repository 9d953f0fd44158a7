"""Run the checks, all at once or as pytest cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from driftlearn.checks._register import CHECKS, applies


def checks_for(estimator: Any) -> list[Callable[[Any], None]]:
    """Return the checks that apply to an estimator."""
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
        The checks use copies of it.
    expected_failures : mapping of str to str, optional
        Checks that this learner need not pass, with reasons. If one of them passes, this is an
        error, so that the list stays up to date.
    callback : callable, optional
        Called with the name and the outcome of each finished check, for example ``print``: with
        slow base learners, all checks take minutes.

    Returns
    -------
    dict
        For every check, "passed" or the reason of the expected failure.

    Raises
    ------
    AssertionError
        If a check fails; the message names it.
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
        Learners to test.
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
            marks = []
            if name in reasons:
                marks = [pytest.mark.xfail(reason=reasons[name], strict=True)]
            case_id = f"{type(estimator).__name__}-{name}"
            cases.append(pytest.param(estimator, check, id=case_id, marks=marks))
    return pytest.mark.parametrize("estimator, check", cases)
