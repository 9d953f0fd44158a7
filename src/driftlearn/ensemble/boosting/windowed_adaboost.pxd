cimport cython

from driftlearn.ensemble.boosting._boosted_committee cimport BoostedCommittee
from driftlearn.ensemble.boosting._boosted_engine cimport BoostedEngine


@cython.final
cdef class WindowedAdaBoost(BoostedEngine):
    cdef Py_ssize_t n_estimators
    cdef Py_ssize_t period


cpdef void boost(BoostedCommittee committee, Py_ssize_t n_rounds) except *
cdef double _weigh(const double[::1] w, const double[::1] z, double[::1] D) noexcept nogil
cdef double _missed(
    const Py_ssize_t[::1] y, const short[::1] predicted, const double[::1] D
) noexcept nogil
