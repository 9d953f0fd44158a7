# cython: infer_types=True
"""Engines that train members on batches of rows, one member after the other or in threads."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.ensemble._pointer_list import PointerList, pointers_to
    from driftlearn.ensemble._row_engine import CommitteeEngine
    from driftlearn.ensemble._task_queue import TaskQueue
    from driftlearn.ensemble._thread_pool import TaskRunner
    from driftlearn.utils._row_pointers import place_at, row_at

# 256 rows balance the load of the threads, and the votes of a batch still fit into the cache.
BATCH_ROWS = 256
MAX_VOTES = 1 << 20  # maximum of rows * members * classes in a batch: 8 MB
# maximum number of rows per task if threads share the tasks
MAX_TASK_ROWS = cython.declare(cython.int, 64)
NEVER = cython.declare(cython.longlong, 1 << 60)  # number of rows that no stream reaches


@cython.cclass
class VoteBuffer:
    """Votes of one member on the rows of a batch, in a separate block of memory.

    Threads that write to neighboring rows of a shared array slow each other down.
    """

    def __init__(self, n_rows, n_classes):
        self.votes = np.zeros((n_rows, n_classes))


@cython.cclass
class BatchEngine(TaskRunner):
    """Base class of engines whose members are trained independently of each other.

    Rows are processed in batches. Each member is trained on the whole batch before the next member,
    so its model stays in the cache, and members can be divided among threads. A subclass implements

    * `_train_member`, which trains one member on some rows of a batch and must not access Python
      objects without holding the GIL;
    * `_begin_row`, called for each row before members are trained on the row (optional);
    * `_rows_until_checkpoint` and `_ends_batch`, if a change of one member may affect the others:
      after how many rows a member may end the batch, and whether it does (optional);
    * `_end_batch`, called after each batch (optional).

    If the replacement of a member does not depend on the others, `_train_member` replaces it
    immediately: it acquires the GIL, calls `_new_model_for` and `_replace_member`, and continues.

    If a model needs the GIL or may fail, each batch is a single row.

    Attributes
    ----------
    thread_pool : ThreadPool or None
        Threads that currently train members, if any.
    """

    def _prepare(self):
        CommitteeEngine._prepare(self)
        self.models = self.vote_buffers = self.thread_pool = self.queue = None
        self.replaced, self.errors_of_models = [], {}

    def learn(self, X, y, w, draws, scores=None):
        """Train on all rows in order.

        Parameters
        ----------
        X, y, w : arrays
            Rows, class codes, weights.
        draws : MemberDraws
            One uniform random number per row and member; ``draws.new_model(i, j)`` returns an
            untrained model that replaces member ``j`` after row ``i``.
        scores : array of shape (rows, classes), optional
            Output: the votes on each row before training on it.
        """
        n: cython.Py_ssize_t = X.shape[0]
        m: cython.Py_ssize_t = self.committee.numbers.shape[0]
        C: cython.Py_ssize_t = self.committee.n_classes
        size: cython.Py_ssize_t = max(1, min(BATCH_ROWS, MAX_VOTES // max(1, m * C)))
        self._start(X, y, w, draws, scores is not None)
        self._allocate_votes(m, size if self.keeps_votes else 1, C)
        self._refresh_pointers()
        lock_free: cython.bint = self.models.all_lock_free()
        if not lock_free:
            size = 1
        if self.queue is None:
            self.queue = TaskQueue(m)
        try:
            first: cython.Py_ssize_t = 0
            while first < n:
                stop: cython.Py_ssize_t = min(n, first + size)
                self.first = first
                for i in range(first, stop):
                    self._begin_row(i)
                if lock_free:
                    stop = self._train_members(m, stop)
                else:
                    for j in range(m):
                        self._train_member(j, first, stop)
                for i in range(first, stop):
                    self.committee.mark_seen(y[i])
                if self.keeps_votes:
                    self._sum_votes(scores, m, stop)
                self._end_batch(stop - 1)
                self._number_new_members()
                self.committee.n_rows += stop - first - 1
                if self.errors_of_models:
                    raise self.errors_of_models[min(self.errors_of_models)]
                self.committee.n_rows += 1
                first = stop
        finally:
            self._stop()
            self.replaced.clear()
            self.errors_of_models.clear()

    def _train_members(self, m, stop):
        """Train all members on the batch up to row `stop`; return the row at which it ended."""
        solo: cython.bint = self.thread_pool is None
        n_threads: cython.Py_ssize_t = 1 if solo else self.thread_pool.n + 1
        self.queue.start(self.first, stop, n_threads, BATCH_ROWS if solo else MAX_TASK_ROWS)
        for j in range(m):
            self.queue.set_checkpoint(j, self._rows_until_checkpoint(j))
        if solo:
            with cython.nogil:
                self._run_tasks()
        else:
            self.thread_pool.run(self)
        return self.queue.stop

    def _finish_task(self, j, stop):
        self.queue.finish(j, stop, self._ends_batch(j))
        self.queue.set_checkpoint(j, self._rows_until_checkpoint(j))

    def _allocate_votes(self, m, n_rows, C):
        """Allocate a `VoteBuffer` for each member, unless the existing ones are large enough."""
        if self.vote_buffers is not None and len(self.vote_buffers.objects) == m:
            votes = cython.cast(VoteBuffer, self.vote_buffers.objects[0]).votes
            if votes.shape[0] >= n_rows and votes.shape[1] == C:
                return
        self.vote_buffers = PointerList([VoteBuffer(n_rows, C) for _ in range(m)])

    def _votes_of(self, j, i):
        """Return a pointer to the votes of member `j` on row `i`."""
        place = i - self.first if self.keeps_votes else 0
        return place_at(cython.cast(VoteBuffer, self.vote_buffers.at[j]).votes, place)

    def _sum_votes(self, scores, m, stop):
        """Sum the votes in the order of the members, regardless of the number of threads."""
        scores[self.first : stop, :] = 0.0
        for j in range(m):
            for i in range(self.first, stop):
                for c in range(scores.shape[1]):
                    scores[i, c] += cython.cast(VoteBuffer, self.vote_buffers.at[j]).votes[
                        i - self.first, c
                    ]

    def _refresh_pointers(self):
        """Update the pointers to members that may have changed since the last call."""
        self.models = pointers_to(self.committee.models, self.models)

    def _rows_until_checkpoint(self, j):
        """Return the smallest number of rows after which member `j` may end the batch."""
        return NEVER

    def _ends_batch(self, j):
        """Return whether the batch must end at the last row that member `j` was trained on."""
        return False

    def _begin_row(self, i):
        """Prepare for row `i` of the batch."""

    def _end_batch(self, i):
        """Make changes that involve several members, after the last row `i` of the batch."""

    def _new_model_for(self, i, j):
        """Return a model that replaces member `j` after row `i`; None if it cannot be created.

        The error is raised at the end of the batch, when all members have been trained on the same
        rows.
        """
        try:
            return self.draws.new_model(i, j)
        except BaseException as error:
            self.errors_of_models[i, j] = error
            return None

    def _replace_member(self, i, j, model, objects):
        """Replace member `j` after row `i` by a model and its objects; its columns become 0."""
        self.committee.replace(j, model, **objects)
        self.models.set(j, model)
        self.replaced.append((i, j))

    def _number_new_members(self):
        """Number the members created in a batch as if all members had been trained row by row."""
        if not self.replaced:
            return
        ids, created_at = self.committee["id"], self.committee["created_at"]
        before = self.committee.n_admitted - len(self.replaced)
        for k, (i, j) in enumerate(sorted(self.replaced), before + 1):
            ids[j] = k
            created_at[j] = self.committee.n_rows + i - self.first + 1
        self.replaced.clear()

    def _update_member(self, j, i, k, tested):
        """Train member `j` on row `i` with `k` times its weight; `tested` if just scored."""
        y = self.y[i]
        row = row_at(self.X, i)
        if tested:
            cython.cast(OnlineModel, self.models.at[j])._learn_tested_row(row, y, k * self.w[i])
        else:
            cython.cast(OnlineModel, self.models.at[j])._learn_row(row, y, k * self.w[i])
        # Write only if the value changes: a write would slow down threads that read nearby memory.
        if not self.committee.member_classes[j, y]:
            self.committee.member_classes[j, y] = 1
        return 0
