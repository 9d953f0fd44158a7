cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.ensemble._row_engine cimport RowEngine
from driftlearn.drift._error_detector cimport ErrorDetector
from driftlearn.base._online_model cimport OnlineModel, top_class
from driftlearn.utils._poisson cimport poisson
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class DDD(RowEngine):
    cdef public ErrorDetector detector
    cdef public bint after
    cdef public long long[::1] n_correct
    cdef public long long[::1] n_tested
    cdef public long long n_drifts
    cdef Py_ssize_t m
    cdef double low
    cdef double high
    cdef double multiplier
    cdef double[::1] ensemble_weights
    cdef double[::1] ballot

    cdef int _predict(self, int slot, Py_ssize_t i, double[::1] votes) except -2
    cdef bint _update_detector(self, bint wrong) except -1
    cdef double accuracy(self, int slot) noexcept
    cdef double spread(self, int slot) noexcept
    cdef void _update_weights(self) noexcept
