cimport cython

from driftlearn.drift._error_detector cimport ErrorDetector


@cython.final
cdef class ErrorRate(ErrorDetector):
    cdef public Py_ssize_t min_window
    cdef public double warning_level
    cdef public double drift_level
    cdef public long long width
    cdef public double total
    cdef public double p_min
    cdef public double s_min
    cdef public bint warning
    cdef public long long n_warning

    cdef void _restart(self) noexcept nogil
