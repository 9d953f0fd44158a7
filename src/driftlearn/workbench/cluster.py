"""Tasks on a dask cluster, by dask.distributed's own interface.

A task is submitted as pickled bytes. What comes back, its messages twice a second and its answer,
travels by the cluster's event log and not as dask results: a result stays in the memory of the
worker until it is fetched, and when that worker dies a finished task would have to run again.
Every attempt at a task has a name of its own: a letter from a new attempt says that the worker
of the last one was lost.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import queue
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from driftlearn._version import __version__
from driftlearn.workbench.executors import (
    PAUSE,
    Executor,
    Failed,
    Function,
    Handle,
    Message,
    Retried,
    Source,
    Started,
    Task,
    answer,
    failure,
)
from driftlearn.workbench.processes import inherited

PERIOD = 0.5  # seconds between two deliveries of a task's messages
SPARE = 2  # tasks sent beyond the threads of the cluster, so that no worker waits for one
CENSUS = 1.0  # seconds between two counts of the cluster's threads


class NoCluster(ConnectionError):
    """The cluster cannot be reached, cannot be used, or was lost."""


class Abandoned(BaseException):
    """Raised by `emit` in a task that the client no longer wants."""


@dataclass(eq=False)
class _Flight:
    key: str
    future: Any
    attempt: str = ""
    past: set[str] = field(default_factory=set)


class DaskExecutor(Executor):
    """Tasks on the dask cluster with a given scheduler.

    Workers may come and go: a task whose worker is lost runs again on another one, and one that
    has lost as many workers as the scheduler allows (``distributed.scheduler.allowed-failures``)
    fails alone. There is nothing to lose with the scheduler but what was not delivered yet.

    Parameters
    ----------
    address : str
        Of the scheduler, ``tcp://host:port`` or ``tls://host:port``.
    timeout : float, default=10
        Seconds to wait for the scheduler's answer.

    Raises
    ------
    NoCluster
        If there is no scheduler, or a worker has another version of driftlearn.
    """

    shares_files = False

    def __init__(self, address: str, timeout: float = 10.0) -> None:
        self.name = address
        self.shares_files = False
        self._cluster = ExitStack()
        self._counted = 0.0
        try:
            _knock(address, timeout)
            self._client = _distributed().Client(address, timeout=timeout, set_as_default=False)
        except (OSError, asyncio.TimeoutError, TypeError, ValueError, RuntimeError) as error:
            raise NoCluster(
                f"no dask scheduler answers at {address} within {timeout:g} s: is it running, is "
                f"the address right, does a firewall stand between? ({error})"
            ) from None
        try:
            self._check_versions()
            self._count()
        except BaseException:
            self.close()
            raise

    def run(self, function: Function, tasks: Iterable[Task | None], handle: Handle) -> None:
        """Run every task and tell what happens; see `Executor.run`."""
        source = Source(tasks)
        flights: dict[str, _Flight] = {}
        inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        # The scheduler forgets the events of a topic named like a client when the client leaves.
        self._client.subscribe_topic(self._client.id, inbox.put)
        try:
            while True:
                self._send_out(function, source, flights, inbox, handle)
                if source.dry and not flights:
                    return
                try:
                    news = inbox.get(timeout=PAUSE)
                except queue.Empty:
                    continue
                if isinstance(news, tuple):
                    self._deliver(news[1], flights, handle)
                else:
                    self._land(news, flights, handle)
        finally:
            if self._client.status == "running":
                self._client.unsubscribe_topic(self._client.id)
                self._client.cancel([flight.future for flight in flights.values()], force=True)

    def _send_out(
        self,
        function: Function,
        source: Source,
        flights: dict[str, _Flight],
        inbox: queue.SimpleQueue[Any],
        handle: Handle,
    ) -> None:
        """Submit tasks while the cluster has room for them."""
        if self._client.status != "running":
            raise self._lost(len(flights))
        if time.monotonic() > self._counted + CENSUS:
            self._count()
        while self.workers and len(flights) < self.workers + SPARE and (task := source.take()):
            key, payload = task
            try:
                data = pickle.dumps((function, payload))
            except Exception as error:
                handle(Started(key))
                handle(failure(key, error))
                continue
            name = f"driftlearn-{uuid.uuid4().hex}"
            future = self._client.submit(
                _work, name, key, data, self._client.id, __version__, key=name, pure=False
            )
            flights[name] = _Flight(key, future)
            future.add_done_callback(inbox.put)

    def _deliver(self, letter: Any, flights: dict[str, _Flight], handle: Handle) -> None:
        """Pass on what a worker wrote, unless the attempt it writes about was given up."""
        if not isinstance(letter, bytes):
            return
        name, attempt, messages, end = pickle.loads(letter)
        flight = flights.get(name)
        if flight is None or attempt in flight.past:
            return
        if attempt != flight.attempt:
            if flight.attempt:
                flight.past.add(flight.attempt)
                handle(Retried(flight.key, "its worker was lost"))
            flight.attempt = attempt
            handle(Started(flight.key))
        for message in messages:
            handle(Message(flight.key, pickle.loads(message)))
        if end is not None:
            del flights[name]
            handle(pickle.loads(end))

    def _land(self, future: Any, flights: dict[str, _Flight], handle: Handle) -> None:
        """Pass on the end of a task that could not write of it itself."""
        flight = flights.get(future.key)
        if flight is None:
            return
        if future.cancelled():
            raise self._lost(len(flights))
        error = future.exception() or RuntimeError("the answer was lost")
        if isinstance(error, NoCluster):
            raise error
        del flights[future.key]
        if isinstance(error, _distributed().scheduler.KilledWorker):
            times = error.allowed_failures + 1
            handle(Failed(flight.key, f"the worker died, {times} times over: {error}"))
        else:
            handle(failure(flight.key, error))

    def _lost(self, flying: int) -> NoCluster:
        return NoCluster(
            f"the dask scheduler at {self.name} was lost: the {flying} tasks under way must run "
            "again; what was delivered before is kept"
        )

    def _count(self) -> None:
        try:
            self.workers = sum(self._client.nthreads().values())
        except (OSError, asyncio.TimeoutError):
            raise self._lost(0) from None
        self._counted = time.monotonic()

    def _check_versions(self) -> None:
        found = self._client.get_versions(packages=["driftlearn"])["workers"]
        for address, worker in found.items():
            version = worker["packages"]["driftlearn"]
            if version != __version__:
                raise NoCluster(_mismatch(address, version, __version__))

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        self._client.close()
        self._cluster.close()


def local_cluster(workers: int) -> DaskExecutor:
    """A dask cluster of separate processes on this machine, ended with the executor."""
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


def _distributed() -> ModuleType:
    try:
        import distributed
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'a cluster needs dask: pip install "driftlearn[cluster]"'
        ) from None
    return distributed


def _knock(address: str, timeout: float) -> None:
    """Connect once: unlike `Client`, give up on somebody who takes the call and says nothing."""
    distributed = _distributed()

    async def knock() -> None:
        arguments = distributed.Security().get_connection_args("client")
        comm = await distributed.core.connect(address, timeout=timeout, **arguments)
        await comm.close()

    runner = distributed.utils.LoopRunner()
    runner.start()
    try:
        distributed.utils.sync(runner.loop, knock, callback_timeout=timeout)
    finally:
        runner.stop()


def _mismatch(worker: str, theirs: str | None, ours: str) -> str:
    return (
        f"the worker at {worker} has driftlearn {theirs or '(none)'} and the client {ours}: "
        "install the same version everywhere"
    )


def _work(name: str, key: str, data: bytes, topic: str, version: str) -> None:
    """Run one task on a worker, and write to the client."""
    from distributed import Reschedule, get_worker
    from threadpoolctl import threadpool_limits

    worker = get_worker()
    if version != __version__:
        raise NoCluster(_mismatch(worker.address, __version__, version))
    with threadpool_limits(1), _Post(worker, name, topic) as post:
        try:
            post.end = answer(key, data, post.emit)
        except Abandoned:
            raise Reschedule from None  # for whoever wants it after all


class _Post:
    """Collects a task's messages and sends them twice a second, in a thread of its own."""

    def __init__(self, worker: Any, name: str, topic: str) -> None:
        self.end: bytes | None = None
        self._worker = worker
        self._name = name
        self._topic = topic
        self._attempt = uuid.uuid4().hex
        self._messages: deque[bytes] = deque()
        self._over = threading.Event()
        self._postman = threading.Thread(target=self._walk, daemon=True)

    def emit(self, message: Any) -> None:
        task = self._worker.state.tasks.get(self._name)
        if task is None or task.state == "cancelled":
            raise Abandoned
        self._messages.append(pickle.dumps(message))

    def _send(self) -> None:
        messages = [self._messages.popleft() for _ in range(len(self._messages))]
        letter = pickle.dumps((self._name, self._attempt, messages, self.end))
        self._worker.log_event(self._topic, letter)

    def _walk(self) -> None:
        while not self._over.wait(PERIOD):
            if self._messages:
                self._send()

    def __enter__(self) -> _Post:
        self._send()
        self._postman.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._postman.join()
        self._send()
