cimport cython

from driftlearn.kernels.adaboost cimport train_anew
from driftlearn.kernels.boosted cimport Boosted


@cython.final
cdef class CoordinateBoost(Boosted):
    cdef readonly Py_ssize_t n_estimators
    cdef readonly Py_ssize_t order
    cdef readonly double smoothing
    cdef double[::1] class_weight
    cdef double[:, ::1] right
    cdef double[:, ::1] wrong
    cdef unsigned char[::1] hit
    cdef double[::1] up
    cdef double[::1] down

    cdef void _start(self, Py_ssize_t i) except *
    cdef void _add(self, Py_ssize_t j, double d) noexcept nogil
    cdef void _adjust(self, double d) noexcept nogil
    cdef void _rescale(self, Py_ssize_t j) noexcept nogil
