cimport cython

from driftlearn.base._engine cimport Engine
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class OAUE(Engine):
    cdef public OnlineCommittee committee
    cdef public dict options
    cdef public double[:, ::1] errors
    cdef public Py_ssize_t[::1] labels
    cdef double[::1] counts
    cdef double[::1] votes
    cdef Py_ssize_t size
    cdef bint linear

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        object new_model, double[:, ::1] scores=*,
    ) except *
    cdef void _test(self, const double* row, Py_ssize_t y, double* votes) except *
    cdef void _count(self, Py_ssize_t y) noexcept
    cpdef double error(self, Py_ssize_t j) noexcept
    cdef void _weigh(self) noexcept
