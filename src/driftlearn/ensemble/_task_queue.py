# cython: infer_types=True
"""Task scheduling for a batch: which member is trained on which rows next.

A batch is split into tasks. A task trains one member on consecutive rows. A member may request that
the batch end after a row, but only at its *checkpoints* (ADWIN tests its window only at every 32nd
error). Until a checkpoint has been passed, no other member may be trained on rows after it. A task
therefore ends at the nearest checkpoint of all members, and the member with that checkpoint comes
first. In a single thread, each member then moves from one of its own checkpoints to the next in one
task, regardless of the checkpoints of the others.
"""

import cython
import numpy as np

MAX_THREADS = 65  # the calling thread and 64 threads of the pool


@cython.cclass
class TaskQueue:
    """Queue of the tasks of one batch.

    Parameters
    ----------
    n_members : int
        Members of the ensemble.

    Attributes
    ----------
    next_row : array
        The first row on which each member has not yet been trained.
    checkpoint : array
        The first row after which each member may request the end of the batch.
    busy : array
        Whether a task of the member is running.
    owner : array
        The thread that trains each member by preference, so that its model stays in one core's
        cache.
    present : array
        Whether each thread has requested a task of this batch.
    stop : int
        The batch ends before this row; reduced when a member requests the end.
    n_unfinished : int
        Number of members that have not reached `stop`.
    task_stop : int
        The most recently returned task ends before this row.
    """

    def __init__(self, n_members):
        self.next_row, self.checkpoint, self.owner = np.zeros((3, n_members), dtype=np.intp)
        self.busy = np.zeros(n_members, dtype=np.uint8)
        self.present = np.zeros(MAX_THREADS, dtype=np.uint8)

    def start(self, first, stop, n_threads, max_rows):
        """Start a batch with tasks of at most `max_rows` rows; call `set_checkpoint` next."""
        m = self.next_row.shape[0]
        self.stop = stop
        self.n_unfinished = m
        self.max_rows = max_rows
        self.present[:] = False
        for j in range(m):
            self.next_row[j] = first
            self.owner[j] = j * n_threads // m  # members that are adjacent in memory share a thread
            self.busy[j] = False

    def set_checkpoint(self, j, n_rows):
        """Set the checkpoint of member `j` to its `n_rows`-th row from now."""
        self.checkpoint[j] = self.next_row[j] + n_rows - 1

    def get(self, thread, steal):
        """Return the member of the next task for a thread; -1 if no task is available.

        The thread's own members come first, then those of threads that have not requested a task of
        this batch; with `steal`, also those of any other thread. The task ends before row
        `task_stop`.
        """
        nearest: cython.Py_ssize_t = self.stop - 1
        best: cython.Py_ssize_t = -1
        self.present[thread] = True
        for j in range(self.next_row.shape[0]):
            nearest = min(nearest, self.checkpoint[j])
        for j in range(self.next_row.shape[0]):
            owner = self.owner[j]
            if self.busy[j] or self.next_row[j] > nearest:
                continue
            if owner != thread and self.present[owner] and not steal:
                continue
            if best < 0 or self._precedes(j, best, thread):
                best = j
        if best >= 0:
            self.busy[best] = True
            self.task_stop = min(nearest + 1, self.next_row[best] + self.max_rows)
        return best

    def _precedes(self, j, k, thread):
        """Return whether, for a thread, a task of member `j` precedes one of member `k`."""
        if (self.owner[j] == thread) != (self.owner[k] == thread):
            return self.owner[j] == thread
        if self.checkpoint[j] != self.checkpoint[k]:
            return self.checkpoint[j] < self.checkpoint[k]
        return self.next_row[j] < self.next_row[k]

    def finish(self, j, stop, ends_batch):
        """Record that a task ended before row `stop`, and whether its member ends the batch there.

        Call `set_checkpoint` next.
        """
        self.next_row[j] = stop
        self.busy[j] = False
        if ends_batch and stop < self.stop:
            self.stop = stop
            self.n_unfinished = 0
            for k in range(self.next_row.shape[0]):
                self.n_unfinished += self.next_row[k] < stop
        elif stop == self.stop:
            self.n_unfinished -= 1

    def any_busy(self):
        """Return whether a task is running."""
        n_busy: cython.int = 0
        for j in range(self.busy.shape[0]):
            n_busy += self.busy[j]
        return n_busy > 0
