cimport cython

from driftlearn.engines.leaf_arrays cimport LeafArrays
from driftlearn.engines.naive_bayes cimport softmax, sum_of_logs, sum_without_gaps


@cython.final
cdef class HoeffdingLeaves(LeafArrays):
    cdef int admit(self, const double[:, ::1] X, Py_ssize_t i) except -1 nogil
    cdef int learn(self, int leaf, const double[:, ::1] X, Py_ssize_t i, int y, double w) except -1 nogil
    cdef int _learn_gaps(self, int s, const double[:, ::1] X, Py_ssize_t i, int y, double w, Py_ssize_t start) except -1 nogil
    cdef inline void _add(self, int s, int y, Py_ssize_t f, double x, double w, double n, bint first) noexcept nogil
    cdef int majority(self, int leaf) noexcept nogil
    cdef int most_probable(self, int leaf, const double[:, ::1] X, Py_ssize_t i) noexcept nogil
    cdef void shares(self, int leaf, double[::1] out) noexcept nogil
    cdef int probabilities(self, int leaf, const double[:, ::1] X, Py_ssize_t i, double[::1] out) noexcept nogil
    cdef inline double log_posterior(self, int s, const double[:, ::1] X, Py_ssize_t i, int c) noexcept nogil
    cdef double _log_share(self, int s, int c, Py_ssize_t f, double x) noexcept nogil
    cdef double _log_posterior_with_gaps(self, int s, const double[:, ::1] X, Py_ssize_t i, int c) noexcept nogil
    cdef void _refresh(self, int s, int c) noexcept nogil
    cdef int _refresh_with_gaps(self, int s, int c) noexcept nogil
    cdef (double, int) mass(self, int leaf) noexcept nogil
    cdef int poorest(self) noexcept nogil
    cdef void hand_over(self, int active, int leaf) noexcept nogil
    cdef void _settle(self, int leaf, int s) noexcept nogil
    cdef int _divide(self, int leaf) noexcept nogil
