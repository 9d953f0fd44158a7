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
    from driftlearn.base._engine import Engine
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.ensemble._borrowed import Borrowed, borrowed
    from driftlearn.ensemble._turns import Turns
    from driftlearn.utils._row_pointers import row_at

COMPILED = cython.compiled  # only then there are crews: else threads would wait for each other
BLOCK = 256  # rows at most: that many even out what members need, and the room for votes is small
CELLS = 1 << 20  # of the votes on a block: 8 MB
MOST = cython.declare(cython.int, 64)  # helpers
LONGEST = cython.declare(cython.int, 64)  # rows of a turn where there are threads
# Looks whether there is something to do before sleep, about a millisecond: the next block, or the
# next chunk after the predictions for it, is there sooner, and to be woken takes longer than many
# blocks.
LOOKS = cython.declare(cython.int, 40000)
# Looks before a thread takes a turn of another one's member, about 50 microseconds: a model that
# changes the processor has to be fetched out of the other one's cache.
PATIENCE = cython.declare(cython.int, 2000)
FAR = cython.declare(cython.longlong, 1 << 60)
ID = cython.declare(cython.int, 0)  # the first columns of a committee
BORN = cython.declare(cython.int, 1)
FEWEST_ALONE = cython.declare(cython.int, 8)  # blocks
MOST_ALONE = cython.declare(cython.int, 1024)
NAP = cython.declare(cython.int, 50)  # microseconds


@cython.cclass
class Room:
    """Where a member writes its votes on the rows of a block, away from those of other threads."""

    def __init__(self, n_rows, n_classes):
        self.votes = np.zeros((n_rows, n_classes))


@cython.cclass
class MemberwiseEngine(Engine):
    """Base of the engines whose members can take several rows without a look at each other.

    Rows are learned in blocks, a block member by member: members that follow no other are shared
    out among threads, and what a member needs stays at hand. A subclass says

    * for how many rows a member will not do what concerns others (`_until_look`), and whether it
      did with the last row that it took (`_stops`): there the block ends for all;
    * what a row does to the ensemble before members take it (`_begin_row`);
    * how a member takes some rows of a block (`_take`), in which no Python object may be touched
      without the interpreter's lock;
    * what follows from a block (`_conclude`).

    A member that is replaced, whatever the others do, takes the lock for it, calls `_make` and
    `_admit`, and goes on with the next row: nobody waits.

    Where a model needs the interpreter's lock, or may fail, a block is one row.

    Attributes
    ----------
    crew : Crew or None
        Threads that help for the time being.
    """

    def _prepare(self):
        self.models = self.rooms = self.crew = self.turns = self.new_model = None
        self.admitted, self.failures = [], {}

    def learn(self, X, y, w, u, new_model, scores=None):
        """Learn all rows, in order.

        Parameters
        ----------
        X, y, w : arrays
            Rows, class codes, weights.
        u : array of shape (rows, members)
            Uniform numbers.
        new_model : callable
            ``new_model(i, j)`` returns a model that row ``i`` calls for in the place ``j``.
        scores : array of shape (rows, classes), optional
            Where to write the votes on each row before it is learned.
        """
        n: cython.Py_ssize_t = X.shape[0]
        m: cython.Py_ssize_t = self.committee.numbers.shape[0]
        C: cython.Py_ssize_t = self.committee.n_classes
        most: cython.Py_ssize_t = max(1, min(BLOCK, CELLS // max(1, m * C)))
        self.X, self.y, self.w, self.u, self.new_model = X, y, w, u, new_model
        self.asked = scores is not None
        self._make_room(m, most if self.asked else 1, C)
        self._borrow()
        free: cython.bint = self.models.are_free()
        if self.turns is None:
            self.turns = Turns(m, MOST + 1)
        try:
            first: cython.Py_ssize_t = 0
            while first < n:
                last: cython.Py_ssize_t = min(n, first + (most if free else 1))
                self.first = first
                for i in range(first, last):
                    self._begin_row(i)
                if free:
                    last = self._share_out(m, last)
                else:
                    for j in range(m):
                        self._take(j, first, last)
                for i in range(first, last):
                    self.committee.mark_seen(y[i])
                if self.asked:
                    self._count(scores, m, last)
                self._conclude(last - 1)
                self._number()
                self.committee.n_rows += last - first - 1
                if self.failures:
                    raise self.failures[min(self.failures)]
                self.committee.n_rows += 1
                first = last
        finally:
            self.X = self.y = self.w = self.u = self.new_model = None
            self.admitted.clear()
            self.failures.clear()

    def _share_out(self, m, last):
        """Have all members take the rows of a block to before `last`; return where it ended."""
        alone: cython.bint = self.crew is None
        n_threads: cython.Py_ssize_t = 1 if alone else self.crew.n + 1
        self.turns.begin(self.first, last, n_threads, BLOCK if alone else LONGEST)
        for j in range(m):
            self.turns.expect(j, self._until_look(j))
        if alone:
            with cython.nogil:
                self._take_turns()
        else:
            self.crew.take(self)
        return self.turns.last

    def _take_turns(self):
        """Have members take one turn after the other, until the block is over."""
        while self.turns.n_left > 0:
            j = self.turns.take(0, True)
            end: cython.Py_ssize_t = self.turns.end
            self._take(j, self.turns.at[j], end)
            self._end_turn(j, end)
        return 0

    def _end_turn(self, j, end):
        """Take note that member `j` has taken the rows to before `end`."""
        self.turns.give(j, end, self._stops(j))
        self.turns.expect(j, self._until_look(j))

    def _make_room(self, m, n_rows, C):
        """Have room for the votes of `m` members on so many rows; what is there may do."""
        if self.rooms is not None and len(self.rooms.things) == m:
            votes = cython.cast(Room, self.rooms.things[0]).votes
            if votes.shape[0] >= n_rows and votes.shape[1] == C:
                return
        self.rooms = Borrowed([Room(n_rows, C) for _ in range(m)])

    def _count(self, scores, m, last):
        """Add up the votes of the members, in their order."""
        scores[self.first : last, :] = 0.0
        for j in range(m):
            for i in range(self.first, last):
                for c in range(scores.shape[1]):
                    scores[i, c] += cython.cast(Room, self.rooms.at[j]).votes[i - self.first, c]

    def _borrow(self):
        """Have what members are made of at hand; again whenever that has changed."""
        self.models = borrowed(self.committee.models, self.models)

    def _until_look(self, j):
        """Return how many rows there are until member `j` may end a block, that one included."""
        return FAR

    def _stops(self, j):
        """Say whether the block has to end with the last row that member `j` took."""
        return False

    def _begin_row(self, i):
        """Take note of a row that members are about to take."""

    def _take(self, j, first, last):
        """Have member `j` take the rows from `first` to before `last`, which are in a block."""
        with cython.gil:
            raise NotImplementedError(f"{type(self).__name__} does not say how a member takes rows")

    def _conclude(self, i):
        """Do what follows from row `i`, the last of a block."""

    def _make(self, i, j):
        """Return a model for the place `j` after row `i`; None if that fails, which waits.

        The block goes on without it, and all members have learned the same rows when it is told.
        """
        try:
            return self.new_model(i, j)
        except BaseException as problem:
            self.failures[i, j] = problem
            return None

    def _admit(self, i, j, model, things):
        """Put a model, and things that belong to it, in the place of member `j` after row `i`."""
        self.committee.replace(j, model, **things)
        self.models.put(j, model)
        self.admitted.append((i, j))

    def _number(self):
        """Number those who were admitted in a block, as if all had taken row after row."""
        before = self.committee.n_admitted - len(self.admitted)
        for k, (i, j) in enumerate(sorted(self.admitted), before + 1):
            self.committee.numbers[j, ID] = k
            self.committee.numbers[j, BORN] = self.committee.n_rows + i - self.first + 1
        self.admitted.clear()

    def teach(self, j, i, k, tested):
        """Have member `j` learn row `i` as if it had come `k` times; or that it was tested on."""
        y = self.y[i]
        row = row_at(self.X, i)
        if tested:
            cython.cast(OnlineModel, self.models.at[j])._take_tested(row, y, k * self.w[i])
        else:
            cython.cast(OnlineModel, self.models.at[j])._take_row(row, y, k * self.w[i])
        if not self.committee.member_classes[
            j, y
        ]:  # who writes what is written slows other threads down
            self.committee.member_classes[j, y] = 1
        return 0


@cython.cclass
class Crew:
    """Threads that take turns of the members of an engine, block of rows by block.

    They stay for good, and outside of Python: to wait for the interpreter's lock would take longer
    than most turns. Nobody waits for a thread that is not here, but for a turn that is under way:
    who is idle long enough takes what is another's. Members that belong to a thread are neighbours,
    and the same from block to block. Where the caller waited so long for a turn that the system
    must have given the processor to somebody else, it takes some blocks alone, and twice as many
    each time that this happens again.

    Parameters
    ----------
    n : int
        How many threads there will be, which `serve`; no more than 64. Who calls `take` is one
        more.
    """

    def __init__(self, n):
        self.n = min(n, MOST)
        self.problems = []
        self.active = False
        self.moves = self.block = self.rest = self.pause = 0
        self.inner = PyThread_allocate_lock()
        self.shut = _closed()
        for k in range(self.n):
            self.go[k] = _closed()
            self.asleep[k] = False

    def __dealloc__(self):
        PyThread_free_lock(self.inner)
        PyThread_free_lock(self.shut)
        for k in range(self.n):
            PyThread_free_lock(self.go[k])

    def serve(self, k: cython.int):
        """Take turns as thread `k`, for ever."""
        while True:
            try:
                with cython.nogil:
                    self._work(k + 1)
            except BaseException as problem:
                self._break_off(k + 1, problem)

    def call(self):
        """Wake the threads up; they will be there soon."""
        self.problems = []
        _pass(self.inner)
        self._wake()
        PyThread_release_lock(self.inner)

    def _wake(self):
        for k in range(self.n):
            if self.asleep[k]:
                self.asleep[k] = False
                PyThread_release_lock(self.go[k])

    def dismiss(self):
        """Let the threads sleep again."""
        self.engine = None

    def take(self, engine):
        """Have all members of an engine take a block, by the engine's turns."""
        if self.rest > 0:
            self.rest -= 1
            with cython.nogil:
                engine._take_turns()
            return
        _pass(self.inner)
        self.engine = engine
        self.turns = engine.turns
        self.active = True
        self.waited = False
        self.block += 1
        self.moves += 1
        self._wake()
        PyThread_release_lock(self.inner)
        try:
            with cython.nogil:
                self._work(0)
        except BaseException as problem:
            self._break_off(0, problem)
        if self.waited:
            self.pause = min(MOST_ALONE, 2 * max(self.pause, FEWEST_ALONE // 2))
            self.rest = self.pause
        elif self.pause > 0:
            self.pause -= 1
        if self.problems:
            with cython.nogil:
                while self.turns.any_busy():
                    PyThread_acquire_lock_timed(self.shut, NAP, 0)
            raise self.problems[0]

    def _break_off(self, who, problem):
        """Take note that a turn failed: no other one begins."""
        self.problems.append(problem)
        _pass(self.inner)
        self.active = False
        self.moves += 1
        self.turns.busy[self.doing[who]] = False
        PyThread_release_lock(self.inner)

    def _work(self, who):
        """Take turns: the caller, who is 0, until the block is over, helpers for ever."""
        j: cython.Py_ssize_t = -1
        first: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t = 0
        block: cython.longlong = 0
        idle: cython.int = 0
        others: cython.bint = False
        while True:
            _pass(self.inner)
            if j >= 0:
                self.engine._end_turn(j, end)
                self.moves += 1
                if self.turns.n_left == 0:
                    self.active = False
            if block != self.block:
                block = self.block
                idle = 0
                others = False
            others = others or idle >= PATIENCE
            j = self.turns.take(who, others) if self.active else -1
            if j >= 0:
                first = self.turns.at[j]
                end = self.turns.end
                self.doing[who] = j
            over: cython.bint = who == 0 and not self.active
            moves = self.moves
            tired: cython.bint = who > 0 and j < 0 and idle >= LOOKS
            if tired:
                self.asleep[who - 1] = True
            PyThread_release_lock(self.inner)
            if who == 0 and idle >= LOOKS:
                self.waited = True
            if over:
                return 0
            if j >= 0:
                idle = 0
                self.engine._take(j, first, end)
            elif tired:
                PyThread_acquire_lock(self.go[who - 1], 1)
                idle = 0
            else:
                idle = self._wait(who, moves, idle)

    def _wait(self, who, moves, idle):
        """Look whether something has happened, until it has, or another look at all is due."""
        while self.moves == moves:
            idle += 1
            if idle == PATIENCE or (idle >= LOOKS and who > 0):
                break
            if idle < LOOKS:
                PyThread_acquire_lock(self.shut, 0)
            else:
                PyThread_acquire_lock_timed(self.shut, NAP, 0)
        return idle


def _closed():
    lock = PyThread_allocate_lock()
    PyThread_acquire_lock(lock, 1)
    return lock


def _pass(lock):
    """Close a lock behind, when it is open."""
    for _ in range(LOOKS):
        if PyThread_acquire_lock(lock, 0):
            return
    PyThread_acquire_lock(lock, 1)
