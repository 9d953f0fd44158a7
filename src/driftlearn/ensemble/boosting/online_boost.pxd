cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.base._engine cimport Engine
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.utils._poisson cimport poisson
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class BoostChain(Engine):
    cdef public OnlineCommittee committee
    cdef public bint soft
    cdef double[::1] answer

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object new_model, double[:, ::1] scores=*,
    ) except *
    cdef int boost(
        self, const double* row, Py_ssize_t y, double w, const double* u
    ) except -1 nogil
    cdef int train(self, Py_ssize_t j, const double* row, Py_ssize_t y, double w) except -1 nogil
    cdef double n_learned(self, Py_ssize_t j) noexcept nogil
    cdef void count(self, Py_ssize_t j, bint is_right, double weight) noexcept nogil
    cdef double error(self, Py_ssize_t j) noexcept nogil
    cpdef double vote_weight(self, Py_ssize_t j) noexcept nogil
    cdef int vote(self, const double* row, double* votes) except -1 nogil
    cdef int combine(self, const double* row, double* votes) except -1 nogil


@cython.final
cdef class RestartingChain(Engine):
    cdef public BoostChain chain
    cdef public AdaptiveWindow detector
    cdef public long long n_restarts
    cdef readonly OnlineCommittee committee

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object new_model, double[:, ::1] scores=*,
    ) except *
    cdef bint _worse(self, const double* votes, Py_ssize_t y) except *
    cdef bint _any_member_trained(self) noexcept nogil
