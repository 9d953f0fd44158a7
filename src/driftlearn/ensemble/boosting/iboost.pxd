cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.ensemble.boosting._boosted_engine cimport BoostedEngine
from driftlearn.ensemble.boosting._evolving_loss cimport EvolvingLoss


@cython.final
cdef class IBoost(BoostedEngine):
    cdef public AdaptiveWindow adwin
    cdef readonly EvolvingLoss loss
    cdef public bint has_warned
    cdef Py_ssize_t n_estimators
    cdef Py_ssize_t period
    cdef Py_ssize_t min_window
    cdef double weight_clip
    cdef str add
    cdef str update_when
    cdef bint remove_negative

    cdef bint _wants_member(self, bint wrong) except -1
    cdef void _add_member(self) except *
    cdef void _remove_smallest(self) except *
    cdef void _remove_negatives(self) except *
