cimport cython

from driftlearn.engines.fixed_models cimport Members


@cython.final
cdef class Guests(Members):
    cdef readonly list models
    cdef object host
    cdef object rows
    cdef short[:, :] ahead
    cdef object candidate
    cdef object candidate_ahead
