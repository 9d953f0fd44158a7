cimport cython

from driftlearn.ensemble.boosting._coordinate_sums cimport CoordinateSums
from driftlearn.base._engine cimport Engine
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.utils._row_pointers cimport place_at, row_at


@cython.final
cdef class LearningOCB(Engine):
    cdef public OnlineCommittee committee
    cdef public double[:, ::1] right
    cdef public double[:, ::1] wrong
    cdef CoordinateSums sums

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        double[:, ::1] scores=*,
    ) except *
    cdef void _boost(self, const double* row, Py_ssize_t y, double w) except *
    cdef double _chance(self) noexcept
