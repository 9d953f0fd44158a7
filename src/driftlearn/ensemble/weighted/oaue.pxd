cimport cython

from driftlearn.ensemble._row_engine cimport RowEngine
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class OAUE(RowEngine):
    cdef public double[:, ::1] errors
    cdef public Py_ssize_t[::1] labels
    cdef double[::1] counts
    cdef Py_ssize_t size
    cdef bint linear

    cdef void _test(self, const double* row, Py_ssize_t y, double* votes) except *
    cdef void _count(self, Py_ssize_t y) noexcept
    cpdef double error(self, Py_ssize_t j) noexcept
