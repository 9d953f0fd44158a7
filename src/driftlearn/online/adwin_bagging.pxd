from driftlearn.engines.adaptive_window cimport AdaptiveWindow
from driftlearn.kernels.poisson cimport poisson
from driftlearn.online.online_bagging cimport OnlineBagging


cdef class ADWINBagging(OnlineBagging):
    cdef public long long n_replaced
    cdef double delta
    cdef bint replace_fired
    cdef bint ask_before
    cdef bint error_after
    cdef unsigned char[::1] fired

    cdef int _times(self, AdaptiveWindow detector, int wrong, double u) noexcept
    cdef int _wrong(
        self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y
    ) except -2
