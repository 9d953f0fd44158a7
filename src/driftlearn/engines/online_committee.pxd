cimport cython

from driftlearn.engines.engine cimport Engine
from driftlearn.engines.online_model cimport OnlineModel


@cython.final
cdef class OnlineCommittee(Engine):
    cdef public list models
    cdef public dict things
    cdef public tuple columns
    cdef public long long n_rows
    cdef public long long n_admitted
    cdef public int n_features
    cdef public int n_classes
    cdef public double[:, ::1] numbers
    cdef public unsigned char[:, ::1] met
    cdef public unsigned char[::1] seen
    cdef public double[::1] votes
    cdef int[::1] said

    cdef void note(self, Py_ssize_t y) noexcept nogil
    cdef void learn(
        self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w
    ) except *
    cdef void learn_tested(
        self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w
    ) except *
    cdef int predict(self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i) except -2
    cdef int test(
        self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i, double[::1] out
    ) except -3
    cdef int answer(self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i) except -2
    cdef void take_row(self) noexcept
    cdef void vote(
        self, const double[:, ::1] X, Py_ssize_t i, const double[:] weights, double[::1] votes
    ) except *
    cdef void blend_one(
        self, const double[:, ::1] X, Py_ssize_t i, const double[:] weights, double[::1] votes
    ) except *
    cpdef Py_ssize_t winner(self) noexcept nogil


cpdef labels(OnlineModel model, const double[:, ::1] X)
