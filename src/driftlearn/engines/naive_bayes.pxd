cimport cython

from driftlearn.engines.online_model cimport OnlineModel, check_rows, check_scores
from driftlearn.kernels.normal_sums cimport softmax, sum_of_logs, sum_without_gaps
from driftlearn.kernels.row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class NaiveBayesModel(OnlineModel):
    cdef readonly double var_smoothing
    cdef double[::1] numbers
    cdef double* weight
    cdef double* constant
    cdef double* room
    cdef double* mean
    cdef double* m2
    cdef double* variance
    cdef double* mean_all
    cdef double* m2_all
    cdef bint fresh
    cdef bint gaps
    cdef double[:, ::1] known
    cdef double[::1] known_all

    cdef int _hold(self, double[::1] numbers) except -1
    cdef int _learn_gaps(self, const double* row, int y, double w) except -1 nogil
    cdef void _refresh(self) noexcept nogil
    cdef double _largest_variance(self) noexcept nogil
    cdef int _refresh_gaps(self, int c, double smoothing) noexcept nogil
    cdef int _posteriors(self, const double* row, double* out) noexcept nogil
    cdef double _log_posterior(self, const double* row, int c) noexcept nogil


cdef bint lacks(const double* row, Py_ssize_t n) noexcept nogil
cdef void add(double* mean, double* m2, Py_ssize_t k, double x, double w, double n) noexcept nogil
cdef double variances(const double* m2, double n, double smoothing, Py_ssize_t first, Py_ssize_t n_features, double* out) noexcept nogil
cdef void learn(double* mean, double* m2, Py_ssize_t first, const double* row, Py_ssize_t n_features, double w, double n) noexcept nogil
