cimport cython

from driftlearn.engines.naive_bayes cimport softmax
from driftlearn.engines.online_model cimport OnlineModel


@cython.final
cdef class LogisticModel(OnlineModel):
    cdef double[::1] rates
    cdef double[::1] weight
    cdef double[:, :, ::1] coef
    cdef double[::1] mistakes
    cdef double[::1] known
    cdef double[::1] mean
    cdef double[::1] m2
    cdef double[::1] spread
    cdef double[::1] z
    cdef double[::1] p
    cdef double[::1] out

    cdef void _learn(self, const double[:, ::1] X, Py_ssize_t i, int y, double w) noexcept nogil
    cdef bint _is_behind(self, int y) noexcept nogil
    cdef void _count(self, const double[:, ::1] X, Py_ssize_t i, double w) noexcept nogil
    cdef double _standardise(self, const double[:, ::1] X, Py_ssize_t i, double[::1] z) noexcept nogil
    cdef void _answer(self, Py_ssize_t k, double[::1] z, double[::1] p) noexcept nogil
    cdef void _scores(self, const double[:, ::1] X, Py_ssize_t i, double[::1] out, double[::1] z, double[::1] p) noexcept nogil
