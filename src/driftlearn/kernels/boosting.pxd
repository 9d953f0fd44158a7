from driftlearn.kernels.team cimport Team, labels, poisson
from driftlearn.kernels.sliding cimport Window


cdef class Boosting(Team):
    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object fresh,
    ) except *
    cdef void _step(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, const double[:, ::1] u,
        object fresh,
    ) except *
    cdef void _boost(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, const double[:, ::1] u
    ) except *
    cdef void _train(
        self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w
    ) except *
    cdef void _count(self, Py_ssize_t j, bint is_right, double weight) noexcept nogil
    cdef double _error(self, Py_ssize_t j) noexcept nogil
    cdef double _vote_weight(self, Py_ssize_t j) noexcept nogil


cdef class NSBoosting(Boosting):
    cdef readonly int period
    cdef readonly int maturity
    cdef readonly Window window
    cdef double[::1] without

    cdef Py_ssize_t _worst(self) except -2
    cdef Py_ssize_t _runner_up(self, Py_ssize_t top) noexcept nogil
    cdef void _judge(self, const int[:, ::1] said, const double[::1] weight) noexcept nogil
