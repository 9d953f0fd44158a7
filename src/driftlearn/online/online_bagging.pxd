from driftlearn.engines.engine cimport Engine
from driftlearn.engines.online_committee cimport OnlineCommittee
from driftlearn.kernels.poisson cimport poisson


cdef class OnlineBagging(Engine):
    cdef public OnlineCommittee committee
    cdef public dict options
    cdef bint soft
    cdef double[::1] equal

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object new_model, double[:, ::1] scores=*,
    ) except *
    cdef void _learn_one(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w,
        const double[:, ::1] u, object new_model,
    ) except *
    cdef double _rate(self, Py_ssize_t y) noexcept
    cdef void _vote(self, const double[:, ::1] X, Py_ssize_t i, double[::1] votes) except *
