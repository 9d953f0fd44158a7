cimport cython
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock,
)

cdef extern from "pythread.h":
    int PyThread_acquire_lock_timed(PyThread_type_lock lock, long long microseconds, int heard) nogil

from driftlearn.ensemble._borrowed cimport Borrowed, borrowed
from driftlearn.base._engine cimport Engine
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.ensemble._turns cimport Turns
from driftlearn.utils._row_pointers cimport row_at


cdef class Crew


@cython.final
cdef class Room:
    cdef double[:, ::1] votes


cdef class MemberwiseEngine(Engine):
    cdef public OnlineCommittee committee
    cdef const double[:, ::1] X
    cdef const Py_ssize_t[::1] y
    cdef const double[::1] w
    cdef const double[:, ::1] u
    cdef Borrowed rooms
    cdef object new_model
    cdef list admitted
    cdef dict failures
    cdef bint asked
    cdef Py_ssize_t first
    cdef Borrowed models
    cdef Turns turns
    cdef public Crew crew

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object new_model, double[:, ::1] scores=*,
    ) except *
    cdef void _make_room(self, Py_ssize_t m, Py_ssize_t n_rows, Py_ssize_t C) except *
    cdef void _count(self, double[:, ::1] scores, Py_ssize_t m, Py_ssize_t last) noexcept nogil
    cdef void _borrow(self) except *
    cdef Py_ssize_t _share_out(self, Py_ssize_t m, Py_ssize_t last) except -1
    cdef int _take_turns(self) except -1 nogil
    cdef void _end_turn(self, Py_ssize_t j, Py_ssize_t end) noexcept nogil
    cdef long long _until_look(self, Py_ssize_t j) noexcept nogil
    cdef bint _stops(self, Py_ssize_t j) noexcept nogil
    cdef void _begin_row(self, Py_ssize_t i) noexcept
    cdef void _conclude(self, Py_ssize_t i) except *
    cdef object _make(self, Py_ssize_t i, Py_ssize_t j)
    cdef void _admit(self, Py_ssize_t i, Py_ssize_t j, object model, dict things) except *
    cdef void _number(self) except *
    cdef int teach(self, Py_ssize_t j, Py_ssize_t i, int k, bint tested) except -1 nogil
    cdef int _take(self, Py_ssize_t j, Py_ssize_t first, Py_ssize_t last) except -1 nogil


@cython.final
cdef class Crew:
    cdef readonly int n
    cdef bint active
    cdef bint waited
    cdef int rest
    cdef int pause
    cdef long long moves
    cdef long long block
    cdef bint asleep[64]
    cdef Py_ssize_t doing[65]
    cdef PyThread_type_lock inner
    cdef PyThread_type_lock shut
    cdef PyThread_type_lock go[64]
    cdef list problems
    cdef MemberwiseEngine engine
    cdef Turns turns

    cdef void _wake(self) noexcept
    cdef void _break_off(self, int who, object problem) except *
    cdef int _work(self, int who) except -1 nogil
    cdef int _wait(self, int who, long long moves, int idle) noexcept nogil
    cdef void take(self, MemberwiseEngine engine) except *


cdef PyThread_type_lock _closed() noexcept
cdef void _pass(PyThread_type_lock lock) noexcept nogil
