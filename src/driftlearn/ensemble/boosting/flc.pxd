cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.base._engine cimport Engine
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of
from driftlearn.ensemble.boosting.online_boost cimport BoostChain


@cython.final
cdef class FLC(Engine):
    cdef public BoostChain chain
    cdef public object detector
    cdef public dict options
    cdef public long long n_changes
    cdef public long long n_restarts
    cdef readonly OnlineCommittee committee
    cdef bint replace_worst
    cdef bint restarts

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object new_model, double[:, ::1] scores=*,
    ) except *
    cdef bint _changed(self, const double* votes, Py_ssize_t y) except *
    cdef int _correct(self, const double* row, Py_ssize_t y, double w) except -1 nogil
