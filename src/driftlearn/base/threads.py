"""Work in threads, with results that do not depend on them."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import parent_process
from numbers import Integral
from typing import Any, TypeVar

from joblib import cpu_count
from sklearn.utils._param_validation import Interval

Result = TypeVar("Result")
N_JOBS = [  # 0 threads would do nothing
    Interval(Integral, 1, None, closed="left"),
    Interval(Integral, None, -1, closed="right"),
    None,
]
WORTH = 60_000  # rows that trees look at: below, to wake a thread takes as long
PARTS = 2  # for each thread: who comes late has less to do
MOST = 64  # helpers of all learners of a process; more work is done by who asked for it

#: Maps a function over calls on other machines, while somebody wants that (`driftlearn.cluster`).
elsewhere: ContextVar[Callable[[Callable[..., Any], list[Any]], list[Any]] | None] = ContextVar(
    "elsewhere", default=None
)

#: How many threads may share out what a committee is asked, while a learner learns a chunk.
hands: ContextVar[int] = ContextVar("hands", default=1)

_pool: ThreadPoolExecutor | None = None


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` stands for in this process.

    None is 1, and -1 all processors, -2 all but one, and so on. A process that works for another
    one (of joblib, multiprocessing, dask, the workbench) shares the processors with its like: it
    takes at most ``OMP_NUM_THREADS``, in which joblib and dask tell their workers how many threads
    each may have, and one where that is not set.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None or n_jobs == 1:
        return 1
    n = n_jobs if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)
    if not _works_for_another():
        return n
    allotted = os.environ.get("OMP_NUM_THREADS", "")
    return min(n, max(1, int(allotted))) if allotted.isdecimal() else 1


def _works_for_another() -> bool:
    if parent_process() is not None:
        return True
    dask = sys.modules.get("distributed")
    try:
        return dask is not None and dask.get_worker() is not None
    except ValueError:  # no worker of dask has called
        return False


def threads(n: int, function: Callable[..., Result], *arguments: Iterable[Any]) -> list[Result]:
    """Map a function over arguments, in `n` threads; the order of results is kept.

    Where a call fails no other one begins, and the error of the first that failed is raised when
    all that had begun are done.
    """
    calls = list(zip(*arguments))
    there = elsewhere.get()
    if there is not None and len(calls) > 1:
        return there(function, calls)
    if n == 1 or len(calls) < 2:
        return [function(*call) for call in calls]
    todo, results = deque(enumerate(calls)), dict[int, Any]()
    problems = dict[int, BaseException]()

    def work() -> None:
        while todo:
            try:
                k, call = todo.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                results[k] = function(*call)
            except BaseException as problem:
                problems[k] = problem
                todo.clear()

    helpers = [_threads().submit(work) for _ in range(min(n, len(calls)) - 1)]
    try:
        work()
    finally:
        todo.clear()
        wait([helper for helper in helpers if not helper.cancel()])
    if problems:
        raise problems[min(problems)]
    return [results[k] for k in range(len(calls))]


def in_parts(n_things: int, cost: int, do: Callable[[int, int], Any]) -> None:
    """Call ``do(first, last)`` for parts of so many things, in threads if there are and it pays.

    `cost` is how many rows are looked at, by all things together.
    """
    n = hands.get()
    if n == 1 or cost < WORTH or elsewhere.get() is not None:
        do(0, n_things)
        return
    n_parts = min(n_things, PARTS * n)
    cuts = [n_things * k // n_parts for k in range(n_parts + 1)]
    threads(n, do, cuts[:-1], cuts[1:])


@contextmanager
def many_hands(n: int) -> Iterator[None]:
    """Let committees that are asked here answer in `n` threads."""
    before = hands.set(n)
    try:
        yield
    finally:
        hands.reset(before)


def _threads() -> ThreadPoolExecutor:
    """Return the threads that are kept.

    To wake one takes a third of the time that a new one needs to start, and joblib's take ten
    milliseconds to come and go.
    """
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(MOST, "driftlearn")
    return _pool


def _forget() -> None:
    """Have no threads, as after a fork, which copies none."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
