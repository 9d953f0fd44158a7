from driftlearn.ensemble._crew cimport MemberwiseEngine, Room
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.ensemble.bagging._poisson_table cimport PoissonTable
from driftlearn.utils._poisson cimport poisson
from driftlearn.utils._row_pointers cimport place_at, row_at


cdef class OnlineBagging(MemberwiseEngine):
    cdef public dict options
    cdef bint soft
    cdef double[::1] rates
    cdef PoissonTable once

    cdef double _rate(self, Py_ssize_t y) noexcept
    cdef int _answer(self, Py_ssize_t j, Py_ssize_t i) except -3 nogil
