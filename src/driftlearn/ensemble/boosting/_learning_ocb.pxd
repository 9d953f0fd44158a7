cimport cython

from driftlearn.ensemble._row_engine cimport RowEngine
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class CoordinateSums:
    cdef double[:, ::1] right
    cdef double[:, ::1] wrong
    cdef Py_ssize_t order
    cdef unsigned char[::1] hit
    cdef double[::1] up
    cdef double[::1] down
    cdef double largest

    cdef void add(self, Py_ssize_t j, double d) noexcept nogil
    cdef double confidence(self, Py_ssize_t j, double chance) noexcept nogil
    cdef double move(self, Py_ssize_t j, double d, double alpha, double chance) noexcept nogil
    cdef double passed_on(self, Py_ssize_t j, double d, double alpha) noexcept nogil
    cdef void end(self) noexcept nogil
    cdef void _rescale(self, Py_ssize_t j) noexcept nogil


@cython.final
cdef class LearningOCB(RowEngine):
    cdef public double[:, ::1] right
    cdef public double[:, ::1] wrong
    cdef CoordinateSums sums

    cdef void _boost(self, const double* row, Py_ssize_t y, double w) except *
    cdef double _chance(self) noexcept
