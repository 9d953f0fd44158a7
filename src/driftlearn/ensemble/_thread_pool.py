# cython: infer_types=True
# ruff: noqa: F821  (the locks are of Python's C interface; the .pxd has them)
"""Thread pool that trains the members of an ensemble without the GIL.

Threads are woken, and signal completion, by locks that do not need the GIL. A thread polls for some
microseconds before it sleeps, because training a member on a batch often takes no longer than
falling asleep and waking up.
"""

import os
from contextlib import contextmanager
from threading import Thread

import cython

from driftlearn.ensemble._row_engine import CommitteeEngine
from driftlearn.ensemble._task_queue import MAX_THREADS

COMPILED = cython.compiled  # in uncompiled code, threads would only wait for the GIL
# Number of polls before a thread sleeps, about a millisecond. The next batch usually arrives
# sooner, as does the chunk after its predictions; waking a thread takes longer than many batches.
POLLS = cython.declare(cython.int, 40000)
# Number of polls before a thread steals a task of another thread's member, about 50 microseconds:
# the model must first be fetched from the other processor's cache.
POLLS_BEFORE_STEALING = cython.declare(cython.int, 2000)
MIN_SOLO_BATCHES = cython.declare(cython.int, 8)
MAX_SOLO_BATCHES = cython.declare(cython.int, 1024)
NAP = cython.declare(cython.int, 50)  # microseconds


@cython.cclass
class TaskRunner(CommitteeEngine):
    """Base class of engines whose tasks are run by a thread pool.

    Attributes
    ----------
    queue : TaskQueue
        The tasks of the batch.
    """

    def _train_member(self, j, first, stop):
        """Train member `j` on the rows ``first:stop`` of the batch."""
        with cython.gil:
            raise NotImplementedError(f"{type(self).__name__} must implement _train_member")

    def _finish_task(self, j, stop):
        """Record that member `j` has been trained on the rows before `stop`."""

    def _run_tasks(self):
        """Run tasks in this thread until the batch is done."""
        while self.queue.n_unfinished > 0:
            j = self.queue.get(0, True)
            stop: cython.Py_ssize_t = self.queue.task_stop
            self._train_member(j, self.queue.next_row[j], stop)
            self._finish_task(j, stop)
        return 0


@cython.cclass
class ThreadPool:
    """Thread pool that runs the tasks of an engine, batch by batch.

    The threads live as long as the process and wait without the GIL, because acquiring it would
    take longer than most tasks. The caller waits for running tasks only, not for threads that have
    not started; an idle thread steals tasks. Each thread owns a range of consecutive members, the
    same in every batch. If the caller has to wait for a task so long that the operating system must
    have suspended its thread, the caller runs the next batches alone: 8 at first, and twice as many
    each time this happens again.

    Parameters
    ----------
    n : int
        Number of threads in addition to the caller's, at most 64; each of them calls `serve`.
    """

    def __init__(self, n):
        self.n = min(n, MAX_THREADS - 1)
        self.errors = []
        self.active = False
        self.n_changes = self.batch = self.solo_left = self.solo_batches = 0
        self.mutex = PyThread_allocate_lock()
        self.never_open = _closed_lock()
        for k in range(self.n):
            self.wake_up[k] = _closed_lock()
            self.asleep[k] = False

    def __dealloc__(self):
        PyThread_free_lock(self.mutex)
        PyThread_free_lock(self.never_open)
        for k in range(self.n):
            PyThread_free_lock(self.wake_up[k])

    def serve(self, k: cython.int):
        """Run tasks as thread `k`; never returns."""
        while True:
            try:
                with cython.nogil:
                    self._work(k + 1)
            except BaseException as error:
                self._abort(k + 1, error)

    def acquire(self):
        """Wake the threads without waiting for them."""
        self.errors = []
        _lock(self.mutex)
        self._wake()
        PyThread_release_lock(self.mutex)

    def _wake(self):
        for k in range(self.n):
            if self.asleep[k]:
                self.asleep[k] = False
                PyThread_release_lock(self.wake_up[k])

    def release(self):
        """Let the threads sleep again."""
        self.engine = None

    def run(self, engine):
        """Run all tasks of an engine's batch; raise the first error of a task."""
        if self.solo_left > 0:
            self.solo_left -= 1
            with cython.nogil:
                engine._run_tasks()
            return
        _lock(self.mutex)
        self.engine = engine
        self.queue = engine.queue
        self.active = True
        self.waited_long = False
        self.batch += 1
        self.n_changes += 1
        self._wake()
        PyThread_release_lock(self.mutex)
        try:
            with cython.nogil:
                self._work(0)
        except BaseException as error:
            self._abort(0, error)
        if self.waited_long:
            self.solo_batches = min(
                MAX_SOLO_BATCHES, 2 * max(self.solo_batches, MIN_SOLO_BATCHES // 2)
            )
            self.solo_left = self.solo_batches
        elif self.solo_batches > 0:
            self.solo_batches -= 1
        if self.errors:
            with cython.nogil:
                while self.queue.any_busy():
                    PyThread_acquire_lock_timed(self.never_open, NAP, 0)
            raise self.errors[0]

    def _abort(self, thread, error):
        """Record that a task failed, so that no further task starts."""
        self.errors.append(error)
        _lock(self.mutex)
        self.active = False
        self.n_changes += 1
        self.queue.busy[self.current[thread]] = False
        PyThread_release_lock(self.mutex)

    def _work(self, thread):
        """Run tasks: thread 0 (the caller) until the batch is done, the others forever."""
        j: cython.Py_ssize_t = -1
        first: cython.Py_ssize_t = 0
        stop: cython.Py_ssize_t = 0
        batch: cython.longlong = 0
        n_polls: cython.int = 0
        steal: cython.bint = False
        while True:
            _lock(self.mutex)
            if j >= 0:
                self.engine._finish_task(j, stop)
                self.n_changes += 1
                if self.queue.n_unfinished == 0:
                    self.active = False
            if batch != self.batch:
                batch = self.batch
                n_polls = 0
                steal = False
            steal = steal or n_polls >= POLLS_BEFORE_STEALING
            j = self.queue.get(thread, steal) if self.active else -1
            if j >= 0:
                first = self.queue.next_row[j]
                stop = self.queue.task_stop
                self.current[thread] = j
            done: cython.bint = thread == 0 and not self.active
            n_changes = self.n_changes
            sleep: cython.bint = thread > 0 and j < 0 and n_polls >= POLLS
            if sleep:
                self.asleep[thread - 1] = True
            PyThread_release_lock(self.mutex)
            if thread == 0 and n_polls >= POLLS:
                self.waited_long = True
            if done:
                return 0
            if j >= 0:
                n_polls = 0
                self.engine._train_member(j, first, stop)
            elif sleep:
                PyThread_acquire_lock(self.wake_up[thread - 1], 1)
                n_polls = 0
            else:
                n_polls = self._poll(thread, n_changes, n_polls)

    def _poll(self, thread, n_changes, n_polls):
        """Poll until a task may be available, or until the thread may steal or sleep."""
        while self.n_changes == n_changes:
            n_polls += 1
            if n_polls == POLLS_BEFORE_STEALING or (n_polls >= POLLS and thread > 0):
                break
            if n_polls < POLLS:
                PyThread_acquire_lock(self.never_open, 0)
            else:
                PyThread_acquire_lock_timed(self.never_open, NAP, 0)
        return n_polls


def _closed_lock():
    lock = PyThread_allocate_lock()
    PyThread_acquire_lock(lock, 1)
    return lock


def _lock(mutex):
    """Acquire a lock, polling before sleeping because polling is faster."""
    for _ in range(POLLS):
        if PyThread_acquire_lock(mutex, 0):
            return
    PyThread_acquire_lock(mutex, 1)


_idle_pools = {}  # lists of pools, by number of threads


@contextmanager
def thread_pool(n):
    """Context manager that provides a pool of `n` threads; pools are reused by later calls."""
    idle = _idle_pools.setdefault(n, [])
    try:
        pool = idle.pop()
    except IndexError:
        pool = ThreadPool(n)
        for k in range(pool.n):
            Thread(target=pool.serve, args=(k,), name=f"driftlearn-{k}", daemon=True).start()
    pool.acquire()
    try:
        yield pool
    finally:
        pool.release()
        idle.append(pool)


if hasattr(os, "register_at_fork"):  # a forked process does not inherit the threads
    os.register_at_fork(after_in_child=_idle_pools.clear)
