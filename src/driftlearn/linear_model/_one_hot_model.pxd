cimport cython

from driftlearn.base._online_model cimport RowModel, check_scores
from driftlearn.linear_model._logistic_model cimport LogisticModel
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class OneHotModel(RowModel):
    cdef public LogisticModel inner
    cdef public int[::1] places
    cdef double[::1] part

    cdef const double* _expanded(self, const double* row, double[::1] part) noexcept nogil


cdef int place_of(double value) noexcept nogil
