cimport cython

from driftlearn.drift._error_detector cimport ErrorDetector


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
