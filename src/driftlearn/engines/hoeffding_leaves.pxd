cimport cython

from driftlearn.engines.naive_bayes cimport softmax, sum_of_logs


@cython.final
cdef class HoeffdingLeaves:
    cdef int n_features
    cdef int n_classes
    cdef long long max_bytes
    cdef bint any_nominal
    cdef unsigned char[::1] nominal
    cdef int[::1] n_values
    cdef int[::1] offset

    cdef readonly int n_leaves
    cdef readonly int n_active
    cdef public int[::1] depth
    cdef public double[::1] since_check
    cdef public double[::1] majority_right
    cdef public double[::1] bayes_right
    cdef public int[::1] slot
    cdef public double[:, ::1] class_weight

    cdef public int[::1] owner
    cdef public double[:, ::1] weight
    cdef public double[:, :, ::1] mean
    cdef public double[:, :, ::1] m2
    cdef public double[:, :, ::1] low
    cdef public double[:, :, ::1] high
    cdef public double[:, :, ::1] counts

    cdef unsigned char[:, ::1] stale
    cdef double[:, :, ::1] variance
    cdef double[:, ::1] constant
    cdef double[:, ::1] left

    cdef int admit(self, const double[:, ::1] X, Py_ssize_t i) except -1 nogil
    cdef void learn(self, int leaf, const double[:, ::1] X, Py_ssize_t i, int y, double w) noexcept nogil
    cdef int majority(self, int leaf) noexcept nogil
    cdef int most_probable(self, int leaf, const double[:, ::1] X, Py_ssize_t i) noexcept nogil
    cdef void shares(self, int leaf, double[::1] out) noexcept nogil
    cdef void probabilities(self, int leaf, const double[:, ::1] X, Py_ssize_t i, double[::1] out) noexcept nogil
    cdef double log_posterior(self, int s, const double[:, ::1] X, Py_ssize_t i, int c) noexcept nogil
    cdef void _refresh(self, int s, int c) noexcept nogil
    cdef (double, int) mass(self, int leaf) noexcept nogil
    cdef double promise(self, int leaf) noexcept nogil
    cdef int poorest(self) noexcept nogil
    cdef void hand_over(self, int active, int leaf) noexcept nogil
    cdef void _settle(self, int leaf, int s) noexcept nogil
    cdef int _divide(self, int leaf) noexcept nogil
