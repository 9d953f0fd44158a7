"""Executors that run tasks in this process, in worker processes or on a cluster.

An executor calls a module-level function for each task and reports progress as events: `Started`,
`Message`, `Done`, `Failed`, `Retried` and `Notice`. An exception in a task does not affect other
tasks. If a worker dies, its task is retried.
"""

from __future__ import annotations

import pickle
import re
import time
import traceback as tracebacks
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

PAUSE = 0.2  # seconds between polls of a source that has no task at the moment


class Started(NamedTuple):
    """A worker has started the task; sent again after each `Retried`."""

    key: str


class Message(NamedTuple):
    """A message that the function passed to `emit`."""

    key: str
    payload: Any


class Done(NamedTuple):
    """The result of the function; the last event of a task."""

    key: str
    result: Any


class Failed(NamedTuple):
    """The function raised, or the task lost too many workers; the last event of a task."""

    key: str
    error: str
    traceback: str = ""


class Retried(NamedTuple):
    """The worker was lost: the task will restart, and its messages will be repeated."""

    key: str
    reason: str


class Notice(NamedTuple):
    """A message about the workers for the user."""

    text: str
    key: str = ""


Event = Started | Message | Done | Failed | Retried | Notice
Task = tuple[str, Any]
Emit = Callable[[Any], None]
Function = Callable[[Any, Emit], Any]
Handle = Callable[[Event], None]


class Executor(ABC):
    """Base class of executors; a context manager that ends the workers.

    Attributes
    ----------
    name : str
        The string from which `make_executor` creates the executor.
    workers : int
        Number of tasks that run in parallel.
    shares_files : bool
        Whether the workers have access to the files of this machine.
    """

    name: str
    workers: int
    shares_files = True

    @abstractmethod
    def run(self, function: Function, tasks: Iterable[Task | None], handle: Handle) -> None:
        """Run every task and report what happens.

        Parameters
        ----------
        function : callable ``function(payload, emit) -> result``
            A module-level function. ``emit(message)`` sends a picklable message to the client.
        tasks : iterable of ``(key, payload)`` or None
            The next task is taken when a worker is free. None means that there is currently no
            task, but more may follow.
        handle : callable
            Called with each `Event` in the thread that called `run`. If it raises, the run ends.
        """

    def close(self) -> None:  # noqa: B027
        """End the workers, if there are any."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def failure(key: str, error: BaseException) -> Failed:
    """Return the event for a task that raised an exception."""
    text = "".join(tracebacks.format_exception(error))
    return Failed(key, f"{type(error).__name__}: {error}", text)


def run_pickled(key: str, data: bytes, emit: Emit) -> bytes:
    """Run a pickled (function, payload) in a worker; return the pickled `Done` or `Failed`."""
    try:
        function, payload = pickle.loads(data)
        return pickle.dumps(Done(key, function(payload, emit)))
    except Exception as error:
        return pickle.dumps(failure(key, error))


class Source:
    """Iterator over the pickled tasks of a run; `dry` is True when there are no more tasks.

    A task that cannot be pickled fails. After a None, the source pauses.
    """

    def __init__(self, function: Function, tasks: Iterable[Task | None], handle: Handle) -> None:
        self._function, self._tasks, self._handle = function, iter(tasks), handle
        self._not_before = 0.0
        self.dry = False

    def take(self) -> tuple[str, bytes] | None:
        """Return the key and content of the next task, or None if there is currently no task."""
        while not self.dry and time.monotonic() >= self._not_before:
            try:
                task = next(self._tasks)
            except StopIteration:
                self.dry = True
                break
            if task is None:
                self._not_before = time.monotonic() + PAUSE
                break
            key, payload = task
            try:
                return key, pickle.dumps((self._function, payload))
            except Exception as error:
                self._handle(Started(key))
                self._handle(failure(key, error))
        return None


class SerialExecutor(Executor):
    """Executor that runs tasks serially in the calling thread; Ctrl-C interrupts the function.

    Examples
    --------
    >>> def double(payload, emit):
    ...     emit("halfway")
    ...     return 2 * payload
    >>> SerialExecutor().run(double, [("a", 21)], print)
    Started(key='a')
    Message(key='a', payload='halfway')
    Done(key='a', result=42)
    """

    name = "serial"
    workers = 1

    def run(self, function: Function, tasks: Iterable[Task | None], handle: Handle) -> None:
        """Run every task and report what happens; see `Executor.run`."""
        for task in tasks:
            if task is None:
                time.sleep(PAUSE)
                continue
            handle(Started(task[0]))
            handle(self._outcome(function, *task, handle))

    def _outcome(self, function: Function, key: str, payload: Any, handle: Handle) -> Done | Failed:
        errors_of_handle: list[BaseException] = []

        def emit(message: Any) -> None:
            try:
                handle(Message(key, message))
            except BaseException as error:
                errors_of_handle.append(error)
                raise

        try:
            return Done(key, function(payload, emit))
        except Exception as error:
            return failure(key, error)
        finally:
            if errors_of_handle:  # errors of `handle` end the run even if the function catches them
                raise errors_of_handle[0]


def make_executor(text: str) -> Executor:
    """Return the executor for a string.

    Parameters
    ----------
    text : str
        ``serial``: this process. ``processes`` or ``processes:4``: worker processes, by default one
        per core. ``tcp://host:8786`` or ``tls://host:8786``: the dask cluster with this scheduler.
        ``local:4``: a dask cluster of 4 processes on this machine.

    Examples
    --------
    >>> from driftlearn.bench.workbench.executors import make_executor
    >>> with make_executor("processes:3") as executor:
    ...     executor.name, executor.workers
    ('processes:3', 3)
    """
    kind, _, rest = text.partition(":")
    count = int(rest) if re.fullmatch("[1-9][0-9]*", rest, re.ASCII) else None
    if text == "serial":
        return SerialExecutor()
    if text == "processes" or (kind == "processes" and count):
        from driftlearn.bench.workbench.process_executor import ProcessExecutor

        return ProcessExecutor(count)
    if kind == "local" and count:
        from driftlearn.bench.workbench.dask_executor import local_cluster

        return local_cluster(count)
    if re.fullmatch(r"(tcp|tls)://\S+:[0-9]+", text):
        from driftlearn.bench.workbench.dask_executor import DaskExecutor

        return DaskExecutor(text)
    raise ValueError(
        f"unknown executor {text!r}: expected serial, processes, processes:4, local:4 (dask on "
        "this machine), or a dask scheduler (tcp://host:8786 or tls://host:8786)"
    )
