cimport cython

from driftlearn.base._probabilities cimport labels
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.utils._row_pointers cimport row_at, start_of
from driftlearn.ensemble.boosting.online_boost cimport ChainEngine


@cython.final
cdef class NSOnlineBoost(ChainEngine):
    cdef public RowWindow window
    cdef int period
    cdef int maturity
    cdef double[::1] without

    cdef int _vote(self, const double* row, double* votes) except -1 nogil
    cdef Py_ssize_t _worst(self) except -2
    cdef Py_ssize_t _runner_up(self, Py_ssize_t top) noexcept nogil
    cdef void _evaluate(self, const int[:, ::1] predicted, const double[::1] weight) noexcept nogil
