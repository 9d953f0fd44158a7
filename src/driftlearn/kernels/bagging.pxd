from driftlearn.kernels.adwin cimport ADWIN
from driftlearn.kernels.team cimport Team, poisson


cdef class Bagging(Team):
    cdef readonly list detectors
    cdef readonly double delta
    cdef readonly bint replace_fired
    cdef readonly bint soft
    cdef readonly bint error_after
    cdef readonly long long n_replaced
    cdef unsigned char[::1] fired

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        const double[:, ::1] u, object fresh,
    ) except *
    cdef bint _step(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, const double[:, ::1] u
    ) except *
