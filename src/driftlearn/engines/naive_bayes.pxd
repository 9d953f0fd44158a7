cimport cython

from driftlearn.engines.online_model cimport OnlineModel


@cython.final
cdef class NaiveBayesModel(OnlineModel):
    cdef readonly double var_smoothing
    cdef double[:, ::1] sums
    cdef double[::1] numbers
    cdef double[::1] weight
    cdef double[:, ::1] mean
    cdef double[:, ::1] m2
    cdef double[::1] mean_all
    cdef double[::1] m2_all
    cdef double[:, ::1] variance
    cdef double[::1] constant
    cdef bint fresh
    cdef bint gaps
    cdef double[:, ::1] known
    cdef double[::1] known_all

    cdef int _hold(self, double[:, ::1] sums, double[::1] numbers) except -1
    cdef inline Py_ssize_t _learn(self, const double[:, ::1] X, Py_ssize_t i, int y, double w) noexcept nogil
    cdef int _learn_gaps(self, const double[:, ::1] X, Py_ssize_t i, int y, double w, Py_ssize_t start) except -1 nogil
    cdef inline void _add(self, Py_ssize_t f, double x, int y, double w, double n, double n_all) noexcept nogil
    cdef int _likeliest(self, const double[:, ::1] X, Py_ssize_t i) noexcept nogil
    cdef void _refresh(self) noexcept nogil
    cdef double _largest_variance(self) noexcept nogil
    cdef int _refresh_gaps(self, int c, double smoothing) noexcept nogil
    cdef double _log_posterior(self, const double[:, ::1] X, Py_ssize_t i, int c) noexcept nogil
    cdef void _scores(self, const double[:, ::1] X, Py_ssize_t i, double[::1] out) noexcept nogil


cdef double sum_without_gaps(double[:, ::1] mean, double[:, ::1] variance, Py_ssize_t c, const double[:, ::1] X, Py_ssize_t i) noexcept nogil
cdef double sum_of_logs(double[:, ::1] values, Py_ssize_t row) noexcept nogil
cdef void softmax(double[::1] out) noexcept nogil
