cimport cython

from driftlearn.utils._normal_sums cimport softmax
from driftlearn.base._online_model cimport RowModel, check_scores
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class LogisticModel(RowModel):
    cdef public double[::1] rates
    cdef public double[::1] weight
    cdef public double[:, :, ::1] coef
    cdef public double[::1] mistakes
    cdef public double[::1] known
    cdef public double[::1] mean
    cdef public double[::1] m2
    cdef double[::1] spread
    cdef double[::1] z
    cdef double[::1] p
    cdef double[::1] out

    cdef bint _is_behind(self, int y) noexcept nogil
    cdef void _count(self, const double* row, double w) noexcept nogil
    cdef double _standardize(self, const double* row, double[::1] z) noexcept nogil
    cdef void _probabilities(self, Py_ssize_t k, double[::1] z, double[::1] p) noexcept nogil
    cdef void _scores(self, const double* row, double* out, double[::1] z, double[::1] p) noexcept nogil
