# cython: infer_types=True
# ruff: noqa: F821  (the locks are of Python's C interface; the .pxd has them)
"""Members that take some rows one after the other, or side by side in threads.

A thread is woken, and says that it is done, by locks that need not the interpreter's: it looks for
some microseconds whether there is work before it sleeps, because what members do with a block of
rows often takes no longer than falling asleep and waking up.
"""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.engines.borrowed import Borrowed, borrowed
    from driftlearn.engines.engine import Engine
    from driftlearn.engines.online_model import OnlineModel
    from driftlearn.kernels.row_pointers import row_at

COMPILED = cython.compiled  # only then there are crews: else threads would wait for each other
BLOCK = 256  # rows at most: that many even out what members need, and the room for votes is small
CELLS = 1 << 20  # of the votes on a block: 8 MB
MOST = cython.declare(cython.int, 64)  # helpers
# Looks at a lock before sleep, about a millisecond: the next block, or the next chunk after the
# predictions for it, is there sooner, and to be woken takes longer than many blocks.
LOOKS = cython.declare(cython.int, 40000)


@cython.cclass
class Room:
    """Where a member writes its votes on the rows of a block, away from those of other threads."""

    def __init__(self, n_rows, n_classes):
        self.votes = np.zeros((n_rows, n_classes))


@cython.cclass
class MemberwiseEngine(Engine):
    """Base of the engines whose members can take several rows without a look at each other.

    Rows are learned in blocks, a block member by member: the members of one that follows no other
    are shared out among threads, and what a member needs stays at hand. A subclass says

    * how far the next block may go (`_ahead`), so that nothing happens before its last row that
      concerns other members;
    * what a row does to the ensemble before members take it (`_begin_row`);
    * how a member takes the rows of a block (`_take`), in which no Python object may be touched;
    * what follows from a block (`_conclude`).

    Where a model needs the interpreter's lock, or may fail, a block is one row.

    Attributes
    ----------
    crew : Crew or None
        Threads that help for the time being.
    """

    def _prepare(self):
        self.models = self.rooms = self.crew = None

    def learn(self, X, y, w, u, new_model, scores=None):
        """Learn all rows, in order.

        Parameters
        ----------
        X, y, w : arrays
            Rows, class codes, weights.
        u : array of shape (rows, members)
            Uniform numbers; `new_model` may draw those of later rows anew.
        new_model : callable
            ``new_model(i)`` returns a model that row ``i`` calls for.
        scores : array of shape (rows, classes), optional
            Where to write the votes on each row before it is learned.
        """
        n: cython.Py_ssize_t = X.shape[0]
        m: cython.Py_ssize_t = self.committee.numbers.shape[0]
        C: cython.Py_ssize_t = self.committee.n_classes
        most: cython.Py_ssize_t = max(1, min(BLOCK, CELLS // max(1, m * C)))
        self.X, self.y, self.w, self.u = X, y, w, u
        self.asked = scores is not None
        self._make_room(m, most if self.asked else 1, C)
        self._borrow()
        free: cython.bint = self.models.are_free()
        try:
            first: cython.Py_ssize_t = 0
            while first < n:
                last: cython.Py_ssize_t = min(n, first + (min(most, self._ahead()) if free else 1))
                self.first = first
                for i in range(first, last):
                    self.committee.note(y[i])
                    self._begin_row(i)
                if free and self.crew is not None:
                    self.crew.take(self, m, first, last)
                elif free:
                    with cython.nogil:
                        for j in range(m):
                            self._take(j, first, last)
                else:
                    for j in range(m):
                        self._take(j, first, last)
                if self.asked:
                    self._count(scores, m, last)
                self.committee.n_rows += last - first - 1
                self._conclude(last - 1, new_model)
                self.committee.n_rows += 1
                first = last
        finally:
            self.X = self.y = self.w = self.u = None

    def _make_room(self, m, n_rows, C):
        """Have room for the votes of `m` members on so many rows; what is there may do."""
        if self.rooms is not None and len(self.rooms.things) == m:
            votes = cython.cast(Room, self.rooms.things[0]).votes
            if votes.shape[0] >= n_rows and votes.shape[1] == C:
                return
        self.rooms = Borrowed([Room(n_rows, C) for _ in range(m)])

    def _count(self, scores, m, last):
        """Add up the votes of the members, in their order."""
        for i in range(self.first, last):
            for c in range(scores.shape[1]):
                scores[i, c] = 0.0
                for j in range(m):
                    scores[i, c] += cython.cast(Room, self.rooms.at[j]).votes[i - self.first, c]

    def _borrow(self):
        """Have what members are made of at hand; again whenever that has changed."""
        self.models = borrowed(self.committee.models, self.models)

    def _ahead(self):
        """Return how many rows members may take without a look at each other."""
        return BLOCK

    def _begin_row(self, i):
        """Take note of a row that members are about to take."""

    def _take(self, j, first, last):
        """Have member `j` take the rows from `first` to before `last`."""
        with cython.gil:
            raise NotImplementedError(f"{type(self).__name__} does not say how a member takes rows")

    def _conclude(self, i, new_model):
        """Do what follows from row `i`, the last of a block."""

    def teach(self, j, i, k, tested):
        """Have member `j` learn row `i` as if it had come `k` times; or that it was tested on."""
        y = self.y[i]
        row = row_at(self.X, i)
        if tested:
            cython.cast(OnlineModel, self.models.at[j])._take_tested(row, y, k * self.w[i])
        else:
            cython.cast(OnlineModel, self.models.at[j])._take_row(row, y, k * self.w[i])
        if not self.committee.met[j, y]:  # who writes what is written slows other threads down
            self.committee.met[j, y] = 1
        return 0


@cython.cclass
class Crew:
    """Threads among which the members of an engine are shared out, block of rows by block.

    They stay for good, and outside of Python: to wait for the interpreter's lock would take longer
    than most blocks. Nobody waits for a thread to wake up: whoever is ready when a block begins has
    a share of it. Shares are of neighbours, and the same from block to block, because a model that
    changes the processor has to be fetched out of the other one's cache.

    Parameters
    ----------
    n : int
        How many threads there will be, which `serve`; no more than 64.
    """

    def __init__(self, n):
        self.n = min(n, MOST)
        self.problems = []
        for k in range(self.n):
            self.go[k] = _closed()
            self.ready[k] = _closed()
            self.waits[k] = True

    def __dealloc__(self):
        for k in range(self.n):
            PyThread_free_lock(self.go[k])
            PyThread_free_lock(self.ready[k])

    def serve(self, k: cython.int):
        """Do what thread `k` is told, for ever."""
        while True:
            try:
                with cython.nogil:
                    self._serve(k)
            except BaseException as problem:
                self.problems.append(problem)
                PyThread_release_lock(self.ready[k])

    def _serve(self, k):
        while True:
            _pass(self.go[k])
            if self.share[k] > 0:
                self._do_share(self.share[k])
            PyThread_release_lock(self.ready[k])

    def call(self):
        """Wake the threads up; they will be ready soon."""
        self.problems = []
        for k in range(self.n):
            if self.waits[k]:
                self.waits[k] = False
                self.share[k] = 0
                PyThread_release_lock(self.go[k])

    def dismiss(self):
        """Let the threads sleep again."""
        self.engine = None

    def take(self, engine, n_members, first, last):
        """Have all members of an engine take the rows from `first` to before `last`."""
        self.engine, self.n_members, self.first, self.last = engine, n_members, first, last
        self.n_shares = 1
        for k in range(self.n):
            if self.waits[k] or PyThread_acquire_lock(self.ready[k], 0):
                self.waits[k] = True
                self.share[k] = self.n_shares
                self.n_shares += 1
        try:
            with cython.nogil:
                for k in range(self.n):
                    if self.waits[k]:
                        PyThread_release_lock(self.go[k])
                self._do_share(0)
        finally:
            with cython.nogil:
                for k in range(self.n):
                    if self.waits[k]:
                        _pass(self.ready[k])
        if self.problems:
            raise self.problems[0]

    def _do_share(self, share):
        """Have a share of the members take the block."""
        for j in range(self.n_members * share // self.n_shares,
                       self.n_members * (share + 1) // self.n_shares):  # fmt: skip
            self.engine._take(j, self.first, self.last)
        return 0


def _closed():
    lock = PyThread_allocate_lock()
    PyThread_acquire_lock(lock, 1)
    return lock


def _pass(lock):
    """Wait until a lock is open, and close it behind."""
    for _ in range(LOOKS):
        if PyThread_acquire_lock(lock, 0):
            return
    PyThread_acquire_lock(lock, 1)
