cimport cython

from driftlearn.base._online_model cimport OnlineModel
from driftlearn.base._plain_row cimport take_label, take_values
from driftlearn.utils._row_pointers cimport start_of
from driftlearn.base._row_shares cimport to_shares


@cython.final
cdef class SingleRow:
    cdef tuple facts
    cdef tuple fact_values
    cdef tuple parameters
    cdef tuple parameter_values
    cdef OnlineModel model
    cdef bint numbered
    cdef long long[::1] labels
    cdef long long[::1] label
    cdef double[::1] row
    cdef double[::1] votes
    cdef double[:, ::1] shares
    cdef object classes
    cdef list answers

    cdef Py_ssize_t _code(self) noexcept
    cdef object _answer(self, Py_ssize_t code)
    cdef int _update(self, object learner, object X, Py_ssize_t code) except -1
    cdef Py_ssize_t _ask(self, object learner, object X) except -2


cdef bint _same(dict known, tuple names, tuple values)
