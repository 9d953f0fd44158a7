"""Tasks on a dask cluster: one run, from the client's side.

A task is submitted as pickled bytes. What comes back, its messages and its answer, travels as
reports by the cluster's event log and not as dask results: a result stays in the memory of the
worker until it is fetched, and when that worker dies a finished task would have to run again.

dask blames every task that a dying worker had, also those that only waited there. So a task that
dask gives up is tried once more when no other is under way: the innocent ends well, the guilty
fails alone.
"""

from __future__ import annotations

import pickle
import queue
import uuid
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from driftlearn.bench.workbench.dask_worker import NoCluster, work
from driftlearn.bench.workbench.executors import (
    PAUSE,
    Failed,
    Function,
    Handle,
    Message,
    Retried,
    Source,
    Started,
    failure,
)
from driftlearn.utils.version import __version__

SPARE = 2  # tasks sent beyond the threads of the cluster, so that no worker waits for one


@dataclass(eq=False)
class _Sent:
    key: str
    data: bytes
    future: Any
    alone: bool
    workers: set[str]
    attempt: str = ""
    past: set[str] = field(default_factory=set)


class DaskRun:
    """One run of tasks on a cluster: what is under way, and what is heard of it.

    Parameters
    ----------
    client : distributed.Client
        The connection to the scheduler.
    function, source, handle
        As in `Executor.run`.
    """

    def __init__(self, client: Any, function: Function, source: Source, handle: Handle) -> None:
        self.client = client
        self.function = function
        self.source = source
        self.handle = handle
        self.workers: list[str] = []
        self.under_way: dict[str, _Sent] = {}
        self._blamed: deque[_Sent] = deque()
        self._news: queue.SimpleQueue[Any] = queue.SimpleQueue()

    @property
    def over(self) -> bool:
        """Whether nothing is under way and nothing will come."""
        return self.source.dry and not self.under_way and not self._blamed

    def __enter__(self) -> DaskRun:
        # The scheduler forgets the events of a topic named like a client when the client leaves.
        self.client.subscribe_topic(self.client.id, self._news.put)
        return self

    def __exit__(self, *exception: object) -> None:
        if self.client.status == "running":
            self.client.unsubscribe_topic(self.client.id)
            self.client.cancel([task.future for task in self.under_way.values()], force=True)

    def send_out(self, threads: Mapping[str, int]) -> None:
        """Submit tasks while there is room for them on workers of so many threads."""
        self.workers = list(threads)
        if not threads or any(task.alone for task in self.under_way.values()):
            return
        while len(self.under_way) < sum(threads.values()) + SPARE and (given := self.source.take()):
            key, payload = given
            try:
                data = pickle.dumps((self.function, payload))
            except Exception as error:
                self.handle(Started(key))
                self.handle(failure(key, error))
            else:
                self._submit(key, data)
        if self._blamed and not self.under_way:
            blamed = self._blamed.popleft()
            self._submit(blamed.key, blamed.data, alone=True)

    def move(self, workers: Iterable[str]) -> None:
        """Submit again what was meant for workers that are all gone."""
        for name, task in list(self.under_way.items()):
            if task.workers.isdisjoint(workers):
                del self.under_way[name]
                self.client.cancel([task.future], force=True)
                if task.attempt:
                    self.handle(Retried(task.key, "the worker was lost"))
                self._submit(task.key, task.data, task.alone)

    def lost(self) -> NoCluster:
        """The error of a connection that broke."""
        return NoCluster(
            f"the dask scheduler at {self.client.scheduler.address} was lost: tasks under way "
            f"({len(self.under_way)}) must run again, what was delivered before is kept"
        )

    def _submit(self, key: str, data: bytes, alone: bool = False) -> None:
        name = f"driftlearn-{uuid.uuid4().hex}"
        future = self.client.submit(
            work, name, key, data, self.client.id, __version__, key=name, pure=False,
            workers=self.workers,
        )  # fmt: skip
        self.under_way[name] = _Sent(key, data, future, alone, {*self.workers})
        future.add_done_callback(self._news.put)

    def listen(self) -> None:
        """Wait a moment for news, and pass them on."""
        try:
            news = self._news.get(timeout=PAUSE)
        except queue.Empty:
            return
        if isinstance(news, tuple):
            self._read(news[1])
        else:
            self._ended(news)

    def _read(self, report: Any) -> None:
        """Pass on what a worker reports, unless the attempt was given up."""
        if not isinstance(report, bytes):
            return
        name, attempt, messages, end = pickle.loads(report)
        task = self.under_way.get(name)
        if task is None or attempt in task.past:
            return
        if attempt != task.attempt:
            if task.attempt:
                task.past.add(task.attempt)
                self.handle(Retried(task.key, "the worker was lost"))
            task.attempt = attempt
            self.handle(Started(task.key))
        for message in messages:
            self.handle(Message(task.key, pickle.loads(message)))
        if end is not None:
            del self.under_way[name]
            self.handle(pickle.loads(end))

    def _ended(self, future: Any) -> None:
        """Pass on the end of a task that could not report it itself."""
        from distributed import KilledWorker

        task = self.under_way.get(future.key)
        if task is None:
            return
        if future.cancelled():
            raise self.lost()
        error = future.exception() or RuntimeError("the answer was lost")
        if isinstance(error, NoCluster):
            raise error
        del self.under_way[future.key]
        if not isinstance(error, KilledWorker):
            self.handle(failure(task.key, error))
            return
        reason = f"the worker died, {error.allowed_failures + 1} times over"
        if task.alone:
            self.handle(Failed(task.key, reason, str(error)))
        else:
            self._blamed.append(task)
            self.handle(Retried(task.key, f"{reason}, perhaps of another task; now alone"))
