cimport cython

from driftlearn.kernels.adwin cimport ADWIN
from driftlearn.kernels.evolving cimport EvolvingLoss


@cython.final
cdef class IBoost(EvolvingLoss):
    cdef readonly ADWIN adwin
    cdef readonly Py_ssize_t n_estimators
    cdef readonly Py_ssize_t period
    cdef readonly double weight_clip
    cdef readonly bint add_always
    cdef readonly bint add_on_error
    cdef readonly bint update_always
    cdef readonly bint update_before_add
    cdef readonly bint remove_negative
    cdef readonly Py_ssize_t min_window
    cdef short[::1] said
    cdef Py_ssize_t[::1] index

    cdef bint _wants_member(self, bint wrong) noexcept nogil
    cdef bint _due(self, bint wrong) noexcept nogil
    cdef void _grow(self, Py_ssize_t i) except *
    cdef void _remove_smallest(self) except *
    cdef void _remove_negatives(self) except *
    cdef void _keep(self, Py_ssize_t n_kept) except *
