"""Work in threads, with results that do not depend on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from joblib import effective_n_jobs

Result = TypeVar("Result")


def threads(
    n_jobs: int | None, function: Callable[..., Result], *arguments: Iterable[Any]
) -> list[Result]:
    """Map a function over arguments, in threads if asked to; the order of results is kept.

    The threads are Python's own: joblib's take ten milliseconds to come and go, in which DTEL
    learns several small chunks.
    """
    calls = list(zip(*arguments))
    if n_jobs in (None, 1) or len(calls) < 2:
        return [function(*call) for call in calls]
    with ThreadPoolExecutor(effective_n_jobs(n_jobs)) as workers:
        return list(workers.map(lambda call: function(*call), calls))
