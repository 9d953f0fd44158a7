cimport cython

from driftlearn.ensemble.boosting._fixed_models cimport FixedModels


@cython.final
cdef class ExternalModels(FixedModels):
    cdef public object book
    cdef public list models
    cdef object trainer
    cdef object rows
    cdef Py_ssize_t row
    cdef short[:, ::1] ahead
    cdef object candidate
    cdef object candidate_ahead
