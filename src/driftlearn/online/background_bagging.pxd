cimport cython

from driftlearn.engines.adaptive_window cimport AdaptiveWindow
from driftlearn.engines.engine cimport Engine
from driftlearn.engines.online_committee cimport OnlineCommittee
from driftlearn.engines.online_model cimport OnlineModel
from driftlearn.kernels.poisson cimport poisson


@cython.final
cdef class BackgroundBagging(Engine):
    cdef public OnlineCommittee committee
    cdef public dict options
    cdef public list background
    cdef public unsigned char[:, ::1] background_met
    cdef public long long n_warnings
    cdef public long long n_drifts
    cdef double rate
    cdef double warning_delta
    cdef double drift_delta
    cdef bint soft
    cdef double[::1] votes
    cdef double[::1] probas

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object new_model, double[:, ::1] scores=*,
    ) except *
    cdef void _learn_one(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, const double[:, ::1] u,
        object new_model, double[::1] votes,
    ) except *
    cdef int _ask(self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i, double[::1] votes) except -2
    cdef double _weight(self, Py_ssize_t j) noexcept
