"""Executor on a dask cluster.

A task is submitted as pickled bytes. Its messages and its result are sent as reports through the
event log of the cluster rather than as dask results: a dask result stays in the memory of a worker
until it is fetched, so a finished task would have to run again if the worker dies.

If a worker dies, dask counts this against all of its tasks, including waiting tasks. Therefore, a
task that dask gives up is retried once while no other task is running; if its worker dies again,
the task fails.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import queue
import time
import uuid
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from driftlearn.bench.workbench import executors
from driftlearn.bench.workbench.dask_worker import NoCluster, mismatch, work
from driftlearn.bench.workbench.executors import Executor, Function, Handle, Retried, Source, Task
from driftlearn.bench.workbench.process_executor import inherited
from driftlearn.utils.optional import needed
from driftlearn.utils.version import __version__

SPARE = 2  # tasks sent beyond the number of threads in the cluster, so that no worker is idle
COUNT_EVERY = 1.0  # seconds between counts of the workers
NOTICE_AFTER = 5.0  # seconds without workers before a notice; a worker restarts in less time
# seconds without workers before giving up; a batch system may take minutes to start one
GIVE_UP_AFTER = 600.0


@dataclass(eq=False)
class _Sent:
    key: str
    data: bytes
    future: Any
    alone: bool
    workers: set[str]
    attempt: str = ""
    past: set[str] = field(default_factory=set)


class _Run:
    """Submitted tasks of a run and their reports.

    Parameters
    ----------
    client : distributed.Client
        Connection to the scheduler.
    source : Source
        The tasks.
    handle : callable
        As in `Executor.run`.
    """

    def __init__(self, client: Any, source: Source, handle: Handle) -> None:
        self.client, self.source, self.handle = client, source, handle
        self.workers: list[str] = []
        self.under_way: dict[str, _Sent] = {}
        self._blamed: deque[_Sent] = deque()
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()

    @property
    def over(self) -> bool:
        """Whether all tasks have ended."""
        return self.source.dry and not self.under_way and not self._blamed

    def __enter__(self) -> _Run:
        # When a client disconnects, the scheduler deletes the events of the topic with its name.
        self.client.subscribe_topic(self.client.id, self._events.put)
        return self

    def __exit__(self, *exception: object) -> None:
        if self.client.status == "running":
            self.client.unsubscribe_topic(self.client.id)
            self.client.cancel([task.future for task in self.under_way.values()], force=True)

    def send_out(self, threads: Mapping[str, int]) -> None:
        """Submit tasks to workers with these numbers of threads."""
        self.workers = list(threads)
        if not threads or any(task.alone for task in self.under_way.values()):
            return
        while len(self.under_way) < sum(threads.values()) + SPARE and (task := self.source.take()):
            self._submit(*task)
        if self._blamed and not self.under_way:
            blamed = self._blamed.popleft()
            self._submit(blamed.key, blamed.data, alone=True)

    def move(self, workers: Iterable[str]) -> None:
        """Resubmit tasks whose workers have all left."""
        for name, task in list(self.under_way.items()):
            if task.workers.isdisjoint(workers):
                del self.under_way[name]
                self.client.cancel([task.future], force=True)
                if task.attempt:
                    self.handle(Retried(task.key, "the worker was lost"))
                self._submit(task.key, task.data, task.alone)

    def _submit(self, key: str, data: bytes, alone: bool = False) -> None:
        name = f"driftlearn-{uuid.uuid4().hex}"
        future = self.client.submit(
            work, name, key, data, self.client.id, __version__, key=name, pure=False,
            workers=self.workers,
        )  # fmt: skip
        self.under_way[name] = _Sent(key, data, future, alone, {*self.workers})
        future.add_done_callback(self._events.put)

    def receive(self) -> None:
        """Wait for a report or for the end of a task and handle it."""
        try:
            event = self._events.get(timeout=executors.PAUSE)
        except queue.Empty:
            return
        if isinstance(event, tuple):
            self._read(event[1])
        else:
            self._ended(event)

    def _read(self, report: Any) -> None:
        """Handle the report of a worker, unless its attempt was given up."""
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
            self.handle(executors.Started(task.key))
        for message in messages:
            self.handle(executors.Message(task.key, pickle.loads(message)))
        if end is not None:
            del self.under_way[name]
            self.handle(pickle.loads(end))

    def _ended(self, future: Any) -> None:
        """Handle the end of a task that the worker could not report."""
        task = self.under_way.get(future.key)
        if task is None:
            return
        if future.cancelled():
            raise _lost(self.client, len(self.under_way))
        error = future.exception() or RuntimeError("the result was lost")
        if isinstance(error, NoCluster):
            raise error
        del self.under_way[future.key]
        if not isinstance(error, _distributed().KilledWorker):
            self.handle(executors.failure(task.key, error))
            return
        reason = f"{error.allowed_failures + 1} workers died"
        if task.alone:
            self.handle(executors.Failed(task.key, reason, str(error)))
        else:
            self._blamed.append(task)
            self.handle(
                Retried(task.key, f"{reason}, perhaps of another task; the task now runs alone")
            )


class DaskExecutor(Executor):
    """Executor on the dask cluster of a given scheduler.

    Workers may join and leave: a task whose worker is lost runs again on another worker. A task
    that loses more workers than the scheduler allows (``distributed.scheduler.allowed-failures``)
    is retried once while no other task is running. If the scheduler is lost, only results that have
    not been received are lost. Workers without driftlearn, or with a different version, are
    reported and get no tasks. If there is no usable worker for ten minutes, the run ends.

    Parameters
    ----------
    address : str
        Address of the scheduler, ``tcp://host:port`` or ``tls://host:port``.
    timeout : float, default=10
        Seconds to wait for the scheduler.

    Raises
    ------
    NoCluster
        If there is no scheduler, or none of its workers has this version of driftlearn.
    """

    shares_files = False

    def __init__(self, address: str, timeout: float = 10.0) -> None:
        self.name = address
        self._cluster = ExitStack()
        self._counted = self._used = 0.0
        self._timeout = timeout
        self._versions: dict[str, str | None] = {}
        self._threads: dict[str, int] = {}
        try:
            _connect_once(address, timeout)
            self._client = _distributed().Client(address, timeout=timeout, set_as_default=False)
        except (OSError, asyncio.TimeoutError, TypeError, ValueError, RuntimeError) as error:
            raise NoCluster(
                f"no dask scheduler responds at {address} within {timeout:g} s ({error}). Check "
                "that it is running, that the address is right and that no firewall blocks the "
                "connection."
            ) from None
        try:
            self._count()
            if self._versions and not self._threads:
                raise NoCluster(self._refusals()[0])
        except BaseException:
            self.close()
            raise

    def run(self, function: Function, tasks: Iterable[Task | None], handle: Handle) -> None:
        """Run every task and report what happens; see `Executor.run`."""
        sent: set[str] = set()
        self._used = time.monotonic()
        with _Run(self._client, Source(function, tasks, handle), handle) as run:
            while not run.over:
                if self._client.status != "running":
                    raise _lost(self._client, len(run.under_way))
                if time.monotonic() > self._counted + COUNT_EVERY:
                    try:
                        self._count()
                    except (OSError, asyncio.TimeoutError):
                        raise _lost(self._client, len(run.under_way)) from None
                    for text in (*self._refusals(), *self._waiting()):
                        if text not in sent:
                            sent.add(text)
                            handle(executors.Notice(text))
                if self._threads:
                    run.move(self._threads)
                run.send_out(self._threads)
                run.receive()

    def _count(self) -> None:
        """Update the list of workers that can be used."""
        threads = self._client.nthreads()
        self._versions = {a: v for a, v in self._versions.items() if a in threads}
        if not threads.keys() <= self._versions.keys():
            ask, names = self._client._get_versions, ["driftlearn"]
            with suppress(asyncio.TimeoutError):  # the next count repeats the query
                found = self._client.sync(ask, packages=names, callback_timeout=self._timeout)
                for address, worker in found["workers"].items():
                    if address in threads:
                        self._versions[address] = worker["packages"]["driftlearn"]
        self._threads = {
            address: threads[address]
            for address, version in self._versions.items()
            if version == __version__
        }
        self.workers = sum(self._threads.values())
        self._counted = time.monotonic()
        if self._threads:
            self._used = self._counted

    def _refusals(self) -> list[str]:
        """Return one sentence per worker that cannot be used."""
        return [
            f"{mismatch(address, version, __version__)}; no tasks are sent to it"
            for address, version in self._versions.items()
            if version != __version__
        ]

    def _waiting(self) -> list[str]:
        """Return a notice if there is no usable worker; raise NoCluster after a long wait."""
        for_long = time.monotonic() - self._used
        if for_long < NOTICE_AFTER:
            return []
        text = f"the dask scheduler at {self._client.scheduler.address} has no usable worker"
        if for_long < GIVE_UP_AFTER:
            return [f"{text}: waiting for one, up to {GIVE_UP_AFTER:g} s"]
        raise NoCluster(
            f"{text}, and none appeared within {GIVE_UP_AFTER:g} s: start a worker, then run the "
            "same command again"
        )

    def close(self) -> None:
        """Disconnect from the cluster; shut it down if this executor started it."""
        with _distributed().utils.silence_logging_cmgr(logging.CRITICAL):
            self._client.close()
            self._cluster.close()


def local_cluster(workers: int) -> DaskExecutor:
    """Return an executor with its own dask cluster of local processes."""
    with ExitStack() as stack:
        with inherited():
            cluster = _distributed().LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.ERROR,
            )
            stack.callback(cluster.close)
        executor = DaskExecutor(cluster.scheduler_address)
        executor.name, executor.shares_files = f"local:{workers}", True
        executor._cluster = stack.pop_all()
    return executor


def _distributed() -> Any:
    return needed("distributed", "a cluster")


def _lost(client: Any, n_tasks: int) -> NoCluster:
    """Return the error for a lost connection."""
    return NoCluster(
        f"the connection to the dask scheduler at {client.scheduler.address} was lost: tasks in "
        f"progress ({n_tasks}) must run again; results received before are kept"
    )


def _connect_once(address: str, timeout: float) -> None:
    """Connect once; unlike `Client`, fail if a server accepts the connection but is silent."""
    distributed = _distributed()

    async def connect() -> None:
        arguments = distributed.Security().get_connection_args("client")
        comm = await distributed.core.connect(address, timeout=timeout, **arguments)
        await comm.close()

    runner = distributed.utils.LoopRunner()
    runner.start()
    try:
        distributed.utils.sync(runner.loop, connect, callback_timeout=timeout)
    finally:
        runner.stop()
