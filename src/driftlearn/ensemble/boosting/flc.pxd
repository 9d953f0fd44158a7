cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.drift._error_detector cimport ErrorDetector
from driftlearn.utils._row_pointers cimport row_at, start_of
from driftlearn.ensemble.boosting.online_boost cimport ChainEngine


@cython.final
cdef class FLC(ChainEngine):
    cdef public ErrorDetector detector
    cdef public long long n_changes
    cdef public long long n_restarts
    cdef bint replace_worst
    cdef bint restarts

    cdef bint _changed(self, const double* votes, Py_ssize_t y) except *
    cdef int _correct(self, const double* row, Py_ssize_t y, double w) except -1 nogil
