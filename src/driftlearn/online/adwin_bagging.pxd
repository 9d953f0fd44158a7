cimport cython

from driftlearn.engines.adaptive_window cimport AdaptiveWindow
from driftlearn.engines.engine cimport Engine
from driftlearn.engines.online_committee cimport OnlineCommittee
from driftlearn.kernels.poisson cimport poisson


@cython.final
cdef class ADWINBagging(Engine):
    cdef public OnlineCommittee committee
    cdef public dict options
    cdef public long long n_replaced
    cdef double delta
    cdef bint replace_fired
    cdef bint soft
    cdef bint error_after
    cdef unsigned char[::1] fired
    cdef double[::1] equal

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object new_model, double[:, ::1] scores=*,
    ) except *
    cdef void _vote(self, const double[:, ::1] X, Py_ssize_t i, double[::1] votes) except *
    cdef bint _learn_one(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, const double[:, ::1] u
    ) except *
