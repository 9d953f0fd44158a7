"""Work in threads, with results that do not depend on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from joblib import Parallel, delayed

Result = TypeVar("Result")


def threads(
    n_jobs: int | None, function: Callable[..., Result], *arguments: Iterable[Any]
) -> list[Result]:
    """Map a function over arguments, in threads if asked to; the order of results is kept."""
    calls = list(zip(*arguments))
    if n_jobs in (None, 1) or len(calls) < 2:
        return [function(*call) for call in calls]
    workers = Parallel(n_jobs=n_jobs, prefer="threads")
    results: list[Result] = workers(delayed(function)(*call) for call in calls)
    return results
