cimport cython

from driftlearn.ensemble.boosting._boosted_engine cimport BoostedEngine
from driftlearn.ensemble.boosting._learning_ocb cimport CoordinateSums
from driftlearn.ensemble.boosting._boosted_votes cimport soften_one
from driftlearn.ensemble.boosting.windowed_adaboost cimport boost


@cython.final
cdef class OCB(BoostedEngine):
    cdef public double[::1] class_weight
    cdef public double[:, ::1] right
    cdef public double[:, ::1] wrong
    cdef CoordinateSums sums
    cdef double chance

    cdef void _start(self) except *
    cdef void _adjust(self, double d) noexcept
