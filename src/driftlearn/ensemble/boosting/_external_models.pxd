cimport cython

from driftlearn.ensemble.boosting._fixed_models cimport ListedModels


@cython.final
cdef class ExternalModels(ListedModels):
    cdef public object book
    cdef object trainer
    cdef object rows
    cdef Py_ssize_t row
    cdef short[:, ::1] ahead
    cdef object candidate_ahead
