"""Tasks on a dask cluster, by dask.distributed's own interface."""

import asyncio
import logging
import time
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from driftlearn.bench.workbench.dask_client import DaskRun
from driftlearn.bench.workbench.dask_worker import NoCluster, mismatch
from driftlearn.bench.workbench.executors import Executor, Function, Handle, Source, Task, Told
from driftlearn.bench.workbench.process_executor import inherited
from driftlearn.utils.optional import needed
from driftlearn.utils.version import __version__

COUNT_EVERY = 1.0  # seconds; a worker that joins gets tasks that soon
TELL_AFTER = 5.0  # seconds without a worker: one that starts anew takes less
GIVE_UP_AFTER = 600.0  # seconds: a batch system may need minutes for a machine


class DaskExecutor(Executor):
    """Tasks on the dask cluster with a given scheduler.

    Workers may come and go: a task whose worker is lost runs again on another one. One that
    loses more workers than the scheduler allows (``distributed.scheduler.allowed-failures``) is
    tried once more, without company, and fails alone. With the scheduler nothing is lost but what
    was not delivered yet. A worker without driftlearn, or with another version, is named and gets
    no task. Where no worker can be used for ten minutes the run ends.

    Parameters
    ----------
    address : str
        Of the scheduler, ``tcp://host:port`` or ``tls://host:port``.
    timeout : float, default=10
        Seconds to wait for the scheduler's answer.

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
                f"no dask scheduler answers at {address} within {timeout:g} s: is it running, is "
                f"the address right, does a firewall stand between? ({error})"
            ) from None
        try:
            self._count()
            if self._versions and not self._threads:
                raise NoCluster(self._refusals()[0])
        except BaseException:
            self.close()
            raise

    def run(self, function: Function, tasks: Iterable[Task | None], handle: Handle) -> None:
        """Run every task and tell what happens; see `Executor.run`."""
        told: set[str] = set()
        self._used = time.monotonic()
        with DaskRun(self._client, function, Source(tasks), handle) as run:
            while not run.over:
                if self._client.status != "running":
                    raise run.lost()
                if time.monotonic() > self._counted + COUNT_EVERY:
                    try:
                        self._count()
                    except (OSError, asyncio.TimeoutError):
                        raise run.lost() from None
                    for text in (*self._refusals(), *self._waiting()):
                        if text not in told:
                            told.add(text)
                            handle(Told(text))
                if self._threads:
                    run.move(self._threads)
                run.send_out(self._threads)
                run.listen()

    def _count(self) -> None:
        """Find out which workers there are, and which of them can be used."""
        threads = self._client.nthreads()
        self._versions = {a: v for a, v in self._versions.items() if a in threads}
        if not threads.keys() <= self._versions.keys():
            for address, worker in self._ask_versions().items():
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

    def _ask_versions(self) -> dict[str, Any]:
        """Ask all workers what they have installed; one that is mute is asked again next time."""
        ask, packages = self._client._get_versions, ["driftlearn"]
        try:
            found = self._client.sync(ask, packages=packages, callback_timeout=self._timeout)
        except asyncio.TimeoutError:
            return {}
        return dict(found["workers"])

    def _refusals(self) -> list[str]:
        """Return a sentence for each worker that cannot be used."""
        return [
            f"{mismatch(address, version, __version__)}; it gets no task"
            for address, version in self._versions.items()
            if version != __version__
        ]

    def _waiting(self) -> list[str]:
        """Return a sentence on the worker that is waited for; after a long time, raise it."""
        for_long = time.monotonic() - self._used
        if for_long < TELL_AFTER:
            return []
        text = f"the dask scheduler at {self._client.scheduler.address} has no usable worker"
        if for_long < GIVE_UP_AFTER:
            return [f"{text}: waiting for one, up to {GIVE_UP_AFTER:g} s"]
        raise NoCluster(
            f"{text}, and none came in {GIVE_UP_AFTER:g} s: start one, then the same command again"
        )

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        with _distributed().utils.silence_logging_cmgr(logging.CRITICAL):
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


def _distributed() -> Any:
    return needed("distributed", "a cluster")


def _connect_once(address: str, timeout: float) -> None:
    """Connect once: unlike `Client`, give up on somebody who takes the call and says nothing."""
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
