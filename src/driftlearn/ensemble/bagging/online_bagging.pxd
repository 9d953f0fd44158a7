from driftlearn.base._online_model cimport OnlineModel
from driftlearn.ensemble._batch_engine cimport BatchEngine
from driftlearn.utils._poisson cimport PoissonTable, poisson
from driftlearn.utils._row_pointers cimport row_at


cdef class OnlineBagging(BatchEngine):
    cdef double[::1] rates
    cdef PoissonTable poisson_1

    cdef double _rate(self, Py_ssize_t y) noexcept
    cdef int _vote(self, Py_ssize_t j, Py_ssize_t i) except -3 nogil
