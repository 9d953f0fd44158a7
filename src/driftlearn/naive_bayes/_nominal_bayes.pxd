cimport cython

from driftlearn.base._online_model cimport RowModel, check_scores
from driftlearn.naive_bayes._naive_bayes cimport NaiveBayesModel
from driftlearn.utils._normal_sums cimport heaviest, weigh
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class NominalBayesModel(RowModel):
    cdef public NaiveBayesModel numeric
    cdef public int[::1] columns
    cdef public double[:, :, ::1] counts
    cdef public double[:, ::1] known
    cdef int[::1] n_values
    cdef double[::1] part
    cdef double[::1] room

    cdef int _code_of(self, const double* row, Py_ssize_t j) noexcept nogil
    cdef bint _is_seen(self, Py_ssize_t j, int code) noexcept nogil
    cdef void _numbers_of(self, const double* row, double* part) noexcept nogil
    cdef void _exponents(self, const double* row, double* part, double* out) noexcept nogil
