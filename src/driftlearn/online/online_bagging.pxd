from driftlearn.engines.crew cimport MemberwiseEngine, Room
from driftlearn.engines.online_committee cimport OnlineCommittee
from driftlearn.engines.online_model cimport OnlineModel
from driftlearn.engines.poisson_table cimport PoissonTable
from driftlearn.kernels.poisson cimport poisson
from driftlearn.kernels.row_pointers cimport place_at, row_at


cdef class OnlineBagging(MemberwiseEngine):
    cdef public dict options
    cdef bint soft
    cdef double[::1] rates
    cdef PoissonTable once

    cdef double _rate(self, Py_ssize_t y) noexcept
    cdef int _answer(self, Py_ssize_t j, Py_ssize_t i) except -3 nogil
