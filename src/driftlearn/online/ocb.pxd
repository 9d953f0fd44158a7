cimport cython

from driftlearn.engines.boosted_engine cimport BoostedEngine
from driftlearn.kernels.boosted_votes cimport soften_one
from driftlearn.online.windowed_adaboost cimport boost


@cython.final
cdef class OCB(BoostedEngine):
    cdef public double[::1] class_weight
    cdef public double[:, ::1] right
    cdef public double[:, ::1] wrong
    cdef Py_ssize_t n_estimators
    cdef Py_ssize_t order
    cdef double smoothing
    cdef unsigned char[::1] hit
    cdef double[::1] up
    cdef double[::1] down

    cdef void _start(self) except *
    cdef void _add(self, Py_ssize_t j, double d) noexcept nogil
    cdef void _adjust(self, double d) noexcept
    cdef void _rescale(self, Py_ssize_t j) noexcept nogil
