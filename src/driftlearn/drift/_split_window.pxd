cimport cython

from driftlearn.drift._error_detector cimport ErrorDetector


@cython.final
cdef class SplitWindow(ErrorDetector):
    cdef readonly Py_ssize_t window_size
    cdef readonly double k_sd
    cdef readonly Py_ssize_t min_sub
    cdef readonly Py_ssize_t width
    cdef readonly bint rising
    cdef Py_ssize_t start
    cdef readonly double[::1] errors

    cdef Py_ssize_t _cut(self) noexcept nogil
