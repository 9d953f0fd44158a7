cimport cython

from driftlearn.ensemble.boosting._coordinate_sums cimport CoordinateSums
from driftlearn.ensemble._row_engine cimport RowEngine
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class LearningOCB(RowEngine):
    cdef public double[:, ::1] right
    cdef public double[:, ::1] wrong
    cdef CoordinateSums sums

    cdef void _boost(self, const double* row, Py_ssize_t y, double w) except *
    cdef double _chance(self) noexcept
