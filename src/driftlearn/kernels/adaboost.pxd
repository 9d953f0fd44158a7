cimport cython

from driftlearn.kernels.boosted cimport Boosted
from driftlearn.kernels.members cimport Members
from driftlearn.kernels.sliding cimport Window


cpdef list boost(Window window, Members members, Py_ssize_t n_rounds, Py_ssize_t i)
cdef void train_anew(Boosted ensemble, Py_ssize_t n_rounds, Py_ssize_t i) except *
cdef double _weigh(const double[::1] w, const double[::1] z, double[::1] D) noexcept nogil
cdef double _missed(
    const Py_ssize_t[::1] y, const short[::1] said, const double[::1] D
) noexcept nogil


@cython.final
cdef class WindowedAdaBoost(Boosted):
    cdef readonly Py_ssize_t n_estimators
    cdef readonly Py_ssize_t period
