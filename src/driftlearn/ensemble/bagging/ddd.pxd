cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.base._engine cimport Engine
from driftlearn.drift._error_detector cimport ErrorDetector
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.utils._poisson cimport poisson
from driftlearn.utils._row_pointers cimport row_at


@cython.final
cdef class DDD(Engine):
    cdef public OnlineCommittee committee
    cdef public dict options
    cdef public ErrorDetector detector
    cdef public bint after
    cdef public long long[::1] n_correct
    cdef public long long[::1] n_tested
    cdef public long long n_drifts
    cdef Py_ssize_t m
    cdef double low
    cdef double high
    cdef double multiplier
    cdef bint soft
    cdef double[::1] ensemble_weights
    cdef double[::1] ballot
    cdef double[::1] votes

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object new_models, double[:, ::1] scores=*,
    ) except *
    cdef void _learn_one(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, const double[:, ::1] u,
        object new_models, double[::1] votes,
    ) except *
    cdef int _predict(self, int slot, const double[:, ::1] X, Py_ssize_t i, double[::1] votes) except -2
    cdef bint _update_detector(self, bint wrong) except -1
    cdef double accuracy(self, int slot) noexcept
    cdef double spread(self, int slot) noexcept
    cdef void _update_weights(self) noexcept
