cimport cython

from driftlearn.drift._error_detector cimport ErrorDetector


@cython.final
cdef class SampledWindow(ErrorDetector):
    cdef public double level
    cdef public Py_ssize_t window_size
    cdef public Py_ssize_t sample_size
    cdef public bint exact
    cdef public object rng
    cdef public Py_ssize_t width
    cdef public Py_ssize_t distance
    cdef public bint rising
    cdef Py_ssize_t limit
    cdef Py_ssize_t next
    cdef double[::1] ring
    cdef Py_ssize_t[::1] order
    cdef Py_ssize_t[::1] side
    cdef Py_ssize_t[::1] places

    cdef void _insert(self, double error) noexcept nogil
    cdef void _draw(self, const double[::1] uniforms) noexcept nogil
    cdef Py_ssize_t _distance(self) noexcept nogil


cpdef double p_value(Py_ssize_t k, Py_ssize_t n)
