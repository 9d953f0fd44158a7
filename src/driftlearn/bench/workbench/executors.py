"""Where tasks run: in this process, in worker processes, or on a cluster.

An executor knows nothing about learners. It is given a module-level function, tasks and somebody
to tell; every executor tells the same story, in `Started`, `Message`, `Done`, `Failed`, `Retried`
and `Told`. A task that raises fails alone. A worker that dies costs its task another try and no
other task anything.
"""

from __future__ import annotations

import pickle
import re
import time
import traceback as tracebacks
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

PAUSE = 0.2  # seconds until a source that had nothing is asked again: no load, hardly a delay


@dataclass(frozen=True, slots=True)
class Started:
    """A worker has begun with the task; once more after each `Retried`."""

    key: str


@dataclass(frozen=True, slots=True)
class Message:
    """What the function handed to `emit`."""

    key: str
    payload: Any


@dataclass(frozen=True, slots=True)
class Done:
    """What the function returned; no message of the task comes after it."""

    key: str
    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """The function raised, or its workers kept dying."""

    key: str
    error: str
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Retried:
    """The task's worker was lost: it will start anew, and its messages come again."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a person should know of the workers, and of no task in particular."""

    text: str
    key: str = ""


Event = Started | Message | Done | Failed | Retried | Told
Task = tuple[str, Any]
Emit = Callable[[Any], None]
Function = Callable[[Any, Emit], Any]
Handle = Callable[[Event], None]


class Executor(ABC):
    """Somewhere to run tasks; a context manager, so that no worker is left behind.

    Attributes
    ----------
    name : str
        The text that `make_executor` makes it from.
    workers : int
        How many tasks run at a time.
    shares_files : bool
        Whether the workers see this machine's files.
    """

    name: str
    workers: int
    shares_files = True

    @abstractmethod
    def run(self, function: Function, tasks: Iterable[Task | None], handle: Handle) -> None:
        """Run every task and tell what happens.

        Parameters
        ----------
        function : callable ``function(payload, emit) -> result``
            A module-level function. ``emit(message)`` hands something picklable to the client.
        tasks : iterable of ``(key, payload)`` or None
            Asked for the next task only when there is room to run it. None says that there is
            nothing at the moment but more may come.
        handle : callable
            Called with each `Event`, always in the thread that called `run`. What it raises
            ends the run.
        """

    @abstractmethod
    def close(self) -> None:
        """End the workers."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def failure(key: str, error: BaseException) -> Failed:
    """The event of a task that raised."""
    text = "".join(tracebacks.format_exception(error))
    return Failed(key, f"{type(error).__name__}: {error}", text)


def answer(key: str, data: bytes, emit: Emit) -> bytes:
    """Run a pickled (function, payload) in a worker; the pickled `Done` or `Failed`."""
    try:
        function, payload = pickle.loads(data)
        return pickle.dumps(Done(key, function(payload, emit)))
    except Exception as error:
        return pickle.dumps(failure(key, error))


class Source:
    """The tasks, pulled one by one; after a None not asked again for a moment."""

    def __init__(self, tasks: Iterable[Task | None]) -> None:
        self._tasks: Iterator[Task | None] = iter(tasks)
        self._not_before = 0.0
        self.dry = False

    def take(self) -> Task | None:
        """The next task, or None if there is none at the moment or (`dry`) ever."""
        if self.dry or time.monotonic() < self._not_before:
            return None
        try:
            task = next(self._tasks)
        except StopIteration:
            self.dry = True
            return None
        if task is None:
            self._not_before = time.monotonic() + PAUSE
        return task


class SerialExecutor(Executor):
    """One task after the other, in the calling thread; Ctrl-C reaches the function itself.

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
        """Run every task and tell what happens; see `Executor.run`."""
        for task in tasks:
            if task is None:
                time.sleep(PAUSE)
                continue
            handle(Started(task[0]))
            handle(self._outcome(function, *task, handle))

    def close(self) -> None:
        """Nothing to end."""

    def _outcome(self, function: Function, key: str, payload: Any, handle: Handle) -> Done | Failed:
        trouble = []

        def emit(message: Any) -> None:
            try:
                handle(Message(key, message))
            except BaseException as error:
                trouble.append(error)
                raise

        outcome: Done | Failed
        try:
            outcome = Done(key, function(payload, emit))
        except Exception as error:
            outcome = failure(key, error)
        if trouble:
            raise trouble[0]
        return outcome


def make_executor(text: str) -> Executor:
    """The executor that a word names.

    Parameters
    ----------
    text : str
        ``serial``: in this process. ``processes`` or ``processes:4``: that many worker processes,
        by default one a core. ``tcp://host:8786`` or ``tls://host:8786``: the dask cluster with
        this scheduler. ``local:4``: a dask cluster of so many processes on this machine.

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
        f"no executor is called {text!r}: say serial, processes, processes:4, local:4 (dask on "
        "this machine), tcp://host:8786 or tls://host:8786 (a dask scheduler)"
    )
