"""Executor with worker processes that may die without affecting other tasks.

Each worker has its own pipe, so a worker that sends many messages waits for a slow client instead
of buffering messages without limit.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, resource_tracker, spawn
from multiprocessing.context import SpawnProcess
from types import ModuleType
from typing import Any

from joblib import cpu_count

from driftlearn.bench.workbench import executors
from driftlearn.bench.workbench.executors import Executor, Failed, Function, Handle, Source, Task
from driftlearn.bench.workbench.process_worker import serve

GRACE = 5.0  # seconds for a worker to run its `finally` blocks; a checkpoint takes about one
NEVER_READY = 3  # the run fails after this many consecutive workers that did not start
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
SAFE_PATH = "PYTHONSAFEPATH"  # if set, workers do not import from the working folder


@dataclass
class _Job:
    key: str
    data: bytes
    deaths: int = 0


@dataclass(eq=False)
class _Worker:
    process: SpawnProcess
    pipe: connection.Connection
    job: _Job | None = None
    ready: bool = False


class ProcessExecutor(Executor):
    """Executor that runs tasks in worker processes, which are replaced when they die.

    Inner threads (OpenMP, BLAS) are limited to one per worker. On Ctrl-C, or when `handle` raises,
    ``SystemExit`` is raised in the functions, so that ``finally`` clauses are executed; after five
    seconds, the workers are killed. Workers also end when the client ends.

    Parameters
    ----------
    workers : int, default=None
        Number of workers; None for one per core.
    retries : int, default=2
        Number of retries of a task after its worker died.

    Examples
    --------
    >>> import operator
    >>> with ProcessExecutor(1) as executor:
    ...     executor.run(operator.contains, [("a", "word")], lambda event: print(event.key))
    a
    a
    """

    def __init__(self, workers: int | None = None, retries: int = 2) -> None:
        self.name = "processes" if workers is None else f"processes:{workers}"
        self.workers = workers or cpu_count()
        self.retries = retries
        self._workers: list[_Worker] = []
        self._never_ready = 0

    def run(self, function: Function, tasks: Iterable[Task | None], handle: Handle) -> None:
        """Run every task and report what happens; see `Executor.run`."""
        source, again = Source(function, tasks, handle), deque[_Job]()
        try:
            while True:
                full = self._hand_out(source, again, handle)
                if source.dry and not any(worker.job for worker in self._workers):
                    return
                self._receive(None if full or source.dry else executors.PAUSE, again, handle)
        except BaseException:
            self.close()
            raise

    def _hand_out(self, source: Source, again: deque[_Job], handle: Handle) -> bool:
        """Assign a job to every free worker; return False if there are not enough jobs."""
        while True:
            worker = next((worker for worker in self._workers if worker.job is None), None)
            if worker is None and len(self._workers) == self.workers:
                return True
            if again:
                job = again.popleft()
            elif task := source.take():
                job = _Job(*task)
            else:
                return False
            worker = worker or self._start()
            worker.job = job
            handle(executors.Started(job.key))
            with suppress(OSError):  # the worker died while idle; `_receive` handles this
                worker.pipe.send((job.key, job.data))

    def _receive(self, timeout: float | None, again: deque[_Job], handle: Handle) -> None:
        """Wait for events or for the end of workers; handle one event of each worker."""
        sources: dict[Any, _Worker] = {worker.pipe: worker for worker in self._workers}
        sources |= {worker.process.sentinel: worker for worker in self._workers}
        if not sources:
            time.sleep(timeout or 0)
        ready = connection.wait(list(sources), timeout)
        for worker in dict.fromkeys(sources[one] for one in ready):
            try:
                if not worker.pipe.poll():  # events sent before the worker's end are received first
                    raise EOFError
                event = worker.pipe.recv()
            except (EOFError, OSError):
                self._lose(worker, again, handle)
                continue
            if event is None:
                worker.ready, self._never_ready = True, 0
                continue
            if isinstance(event, executors.Done | Failed):
                worker.job = None
            handle(event)

    def _lose(self, worker: _Worker, again: deque[_Job], handle: Handle) -> None:
        self._workers.remove(worker)
        code = _end([worker])[0]
        reason = f"the worker died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"
        self._never_ready += not worker.ready
        if self._never_ready == NEVER_READY:
            raise RuntimeError(
                f"worker processes do not start: {reason}. A script that starts workers must guard "
                'its code with `if __name__ == "__main__":`'
            )
        if job := worker.job:
            job.deaths += 1
            if job.deaths > self.retries:
                handle(Failed(job.key, reason))
            else:
                again.append(job)
                handle(executors.Retried(job.key, reason))

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        main = {k: v for k, v in spawn.get_preparation_data("").items() if "init_main" in k}
        # The system sends this signal when the thread that started the process ends.
        signalled = threading.current_thread() is threading.main_thread()
        process = context.Process(target=serve, args=(theirs, main, signalled), daemon=True)
        worker = _Worker(process, ours)
        with inherited(), _without_main():
            process.start()
            self._workers.append(worker)
        theirs.close()
        return worker

    def close(self) -> None:
        """Terminate the workers, and kill those that still run after five seconds."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.process.terminate()
        _end(workers)


def _end(workers: list[_Worker]) -> list[int]:
    """Wait for workers to end, kill the remaining workers and return the exit codes."""
    deadline = time.monotonic() + GRACE
    try:
        for worker in workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))
    finally:
        codes = []
        for worker in workers:
            worker.process.kill()
            worker.process.join()
            codes.append(worker.process.exitcode or 0)
            worker.process.close()
            worker.pipe.close()
    return codes


@contextmanager
def inherited() -> Iterator[None]:
    """Configure what a worker inherits: one inner thread, a safe path and blocked Ctrl-C.

    A Ctrl-C during the start is delivered to the client afterwards, but not to the worker, which
    does not ignore the signal yet.
    """
    before = {name: os.environ.get(name) for name in (*THREADS, SAFE_PATH)}
    pressed: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    if main:
        handler = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    posix = os.name == "posix"
    if posix:
        # started here, because starting it later would reset the signal mask
        resource_tracker.ensure_running()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    os.environ.update(dict.fromkeys(before, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        if main:
            signal.signal(signal.SIGINT, handler)
        if posix:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if pressed:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module from a new process, which imports the module later itself."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
