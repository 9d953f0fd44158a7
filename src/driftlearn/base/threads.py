"""Thread pool; results do not depend on the number of threads."""

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
N_JOBS = [  # parameter constraint; 0 is invalid
    Interval(Integral, 1, None, closed="left"),
    Interval(Integral, None, -1, closed="right"),
    None,
]
MIN_COST = 60_000  # in row reads by trees: waking a thread takes as long as about this many
PARTS = 2  # tasks per thread, so that a thread that starts late gets fewer
# per process, for all learners; the calling thread runs what the workers cannot take
MAX_WORKERS = 64

#: Function that maps a function over calls on other machines, inside `driftlearn.cluster`.
elsewhere: ContextVar[Callable[[Callable[..., Any], list[Any]], list[Any]] | None] = ContextVar(
    "elsewhere", default=None
)

#: Maximum number of threads with which a committee predicts while a learner trains on a chunk.
max_threads: ContextVar[int] = ContextVar("max_threads", default=1)

_pool: ThreadPoolExecutor | None = None


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for a parameter `n_jobs` in this process.

    None is 1, -1 is all processors, -2 all but one, and so on. Worker processes (of joblib,
    multiprocessing, dask, the workbench) share the processors: they use at most
    ``OMP_NUM_THREADS``, which joblib and dask set for their workers, or one thread if it is not
    set.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None or n_jobs == 1:
        return 1
    n = n_jobs if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)
    if not _is_worker():
        return n
    allotted = os.environ.get("OMP_NUM_THREADS", "")
    return min(n, max(1, int(allotted))) if allotted.isdecimal() else 1


def _is_worker() -> bool:
    if parent_process() is not None:
        return True
    dask = sys.modules.get("distributed")
    try:
        return dask is not None and dask.get_worker() is not None
    except ValueError:  # this thread does not belong to a dask worker
        return False


def threads(n: int, function: Callable[..., Result], *arguments: Iterable[Any]) -> list[Result]:
    """Map a function over arguments in `n` threads; return results in order.

    After a call fails, no further calls start. When the running ones are done, the error of the
    first failed call is raised.
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
            except IndexError:  # another thread took the last task
                return
            try:
                results[k] = function(*call)
            except BaseException as problem:
                problems[k] = problem
                todo.clear()

    helpers = [_executor().submit(work) for _ in range(min(n, len(calls)) - 1)]
    try:
        work()
    finally:
        todo.clear()
        wait([helper for helper in helpers if not helper.cancel()])
    if problems:
        raise problems[min(problems)]
    return [results[k] for k in range(len(calls))]


def in_parts(n_things: int, cost: int, do: Callable[[int, int], Any]) -> None:
    """Call ``do(first, last)`` for parts of `n_things`, in threads if that is faster.

    `cost` is the total number of rows that are read.
    """
    n = max_threads.get()
    if n == 1 or cost < MIN_COST or elsewhere.get() is not None:
        do(0, n_things)
        return
    n_parts = min(n_things, PARTS * n)
    cuts = [n_things * k // n_parts for k in range(n_parts + 1)]
    threads(n, do, cuts[:-1], cuts[1:])


@contextmanager
def thread_limit(n: int) -> Iterator[None]:
    """Return a context in which ensembles predict with up to `n` threads."""
    before = max_threads.set(n)
    try:
        yield
    finally:
        max_threads.reset(before)


def _executor() -> ThreadPoolExecutor:
    """Return the thread pool of the process.

    Waking a pooled thread takes a third of the time of starting one; joblib's threads take ten
    milliseconds to start and stop.
    """
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(MAX_WORKERS, "driftlearn")
    return _pool


def _reset() -> None:
    """Discard the pool after a fork, which does not copy threads."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)
