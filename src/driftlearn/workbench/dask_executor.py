"""Tasks on a dask cluster, by dask.distributed's own interface."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable
from contextlib import ExitStack
from types import ModuleType

from driftlearn._version import __version__
from driftlearn.workbench.dask_client import DaskRun
from driftlearn.workbench.dask_worker import NoCluster, mismatch
from driftlearn.workbench.executors import Executor, Function, Handle, Source, Task
from driftlearn.workbench.process_executor import inherited

COUNT_EVERY = 1.0  # seconds; a worker that joins gets tasks that soon


class DaskExecutor(Executor):
    """Tasks on the dask cluster with a given scheduler.

    Workers may come and go: a task whose worker is lost runs again on another one. One that
    loses more workers than the scheduler allows (``distributed.scheduler.allowed-failures``) is
    tried once more, without company, and fails alone. With the scheduler nothing is lost but what
    was not delivered yet.

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
        self._cluster = ExitStack()
        self._counted = 0.0
        try:
            _connect_once(address, timeout)
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
        with DaskRun(self._client, function, Source(tasks), handle) as run:
            while not run.over:
                if self._client.status != "running":
                    raise run.lost()
                if time.monotonic() > self._counted + COUNT_EVERY:
                    try:
                        self._count()
                    except (OSError, asyncio.TimeoutError):
                        raise run.lost() from None
                run.send_out(self.workers)
                run.listen()

    def _count(self) -> None:
        self.workers = sum(self._client.nthreads().values())
        self._counted = time.monotonic()

    def _check_versions(self) -> None:
        found = self._client.get_versions(packages=["driftlearn"])["workers"]
        for address, worker in found.items():
            version = worker["packages"]["driftlearn"]
            if version != __version__:
                raise NoCluster(mismatch(address, version, __version__))

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


def _distributed() -> ModuleType:
    try:
        import distributed
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'a cluster needs dask: pip install "driftlearn[cluster]"'
        ) from None
    return distributed


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
