cimport cython

from driftlearn.base._engine cimport Engine
from driftlearn.base._probabilities cimport labels
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.utils._row_pointers cimport place_at, row_at
from driftlearn.ensemble.boosting.online_boost cimport BoostChain


@cython.final
cdef class NSOnlineBoost(Engine):
    cdef public BoostChain chain
    cdef public dict options
    cdef public RowWindow window
    cdef readonly OnlineCommittee committee
    cdef int period
    cdef int maturity
    cdef double[::1] without

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object new_model, double[:, ::1] scores=*,
    ) except *
    cdef int _vote(self, const double* row, double* votes) except -1 nogil
    cdef Py_ssize_t _worst(self) except -2
    cdef Py_ssize_t _runner_up(self, Py_ssize_t top) noexcept nogil
    cdef void _judge(self, const int[:, ::1] said, const double[::1] weight) noexcept nogil
