from driftlearn.base._engine cimport Engine
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.utils._row_pointers cimport row_at


cdef class CommitteeEngine(Engine):
    cdef public OnlineCommittee committee
    cdef public dict options
    cdef public bint soft
    cdef const double[:, ::1] X
    cdef const Py_ssize_t[::1] y
    cdef const double[::1] w
    cdef const double[:, ::1] u
    cdef object draws
    cdef bint keeps_votes

    cdef void _start(self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
                     object draws, bint keeps_votes) except *
    cdef void _stop(self) except *
    cdef int combine(self, const double* row, double* votes) except -1 nogil


cdef class RowEngine(CommitteeEngine):
    cdef double[::1] votes

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, object draws,
        double[:, ::1] scores=*,
    ) except *
    cdef int _learn_row(self, Py_ssize_t i, double[::1] votes) except -1
    cdef int _end_row(self, Py_ssize_t i) except -1
