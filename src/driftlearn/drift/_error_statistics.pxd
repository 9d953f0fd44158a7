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


@cython.final
cdef class MistakeDistance(ErrorDetector):
    cdef public Py_ssize_t min_mistakes
    cdef public double warning_level
    cdef public double drift_level
    cdef public bint early_peak
    cdef public long long width
    cdef public long long n_mistakes
    cdef public long long last
    cdef public double mean
    cdef public double squares
    cdef public double peak
    cdef public bint warning
    cdef public long long n_warning

    cdef void _restart(self) noexcept nogil
    cdef double _share(self) noexcept nogil


@cython.final
cdef class CumulativeSum(ErrorDetector):
    cdef public double threshold
    cdef public double delta
    cdef public Py_ssize_t min_window
    cdef public double fading
    cdef public str direction
    cdef public long long width
    cdef public double total
    cdef public double up
    cdef public double lowest
    cdef public double down
    cdef public double highest
    cdef public bint rising
    cdef bint upwards
    cdef bint downwards

    cdef void _restart(self) noexcept nogil
