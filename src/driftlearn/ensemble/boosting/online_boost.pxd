cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.ensemble._row_engine cimport RowEngine
from driftlearn.utils._poisson cimport poisson
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class BoostChain(RowEngine):
    cdef int boost(
        self, const double* row, Py_ssize_t y, double w, const double* u
    ) except -1 nogil
    cdef int train(self, Py_ssize_t j, const double* row, Py_ssize_t y, double w) except -1 nogil
    cdef double n_learned(self, Py_ssize_t j) noexcept nogil
    cdef void count(self, Py_ssize_t j, bint is_right, double weight) noexcept nogil
    cdef double error(self, Py_ssize_t j) noexcept nogil
    cpdef double vote_weight(self, Py_ssize_t j) noexcept nogil
    cdef int vote(self, const double* row, double* votes) except -1 nogil


cdef class ChainEngine(RowEngine):
    cdef public BoostChain chain


@cython.final
cdef class RestartingChain(ChainEngine):
    cdef public AdaptiveWindow detector
    cdef public long long n_restarts

    cdef bint _worse(self, const double* votes, Py_ssize_t y) except *
    cdef bint _any_member_trained(self) noexcept nogil
