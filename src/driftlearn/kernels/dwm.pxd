from driftlearn.kernels.team cimport Team
from driftlearn.kernels.sliding cimport Window


cdef class Majority(Team):
    cdef readonly double beta
    cdef readonly double theta
    cdef readonly int period
    cdef readonly int limit
    cdef readonly bint online_update
    cdef readonly Window window

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, object fresh
    ) except *
    cdef void _original(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, object fresh
    ) except *
    cdef void _windowed(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, object fresh
    ) except *
    cdef void _teach_window(self, Py_ssize_t j) except *
    cdef bint _judge(self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y) except *
    cdef void _scale(self) noexcept nogil
