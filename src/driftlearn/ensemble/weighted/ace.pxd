cimport cython

from driftlearn.ensemble.weighted._answer_window cimport AnswerWindow
from driftlearn.base._engine cimport Engine
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.utils._row_pointers cimport row_at


@cython.final
cdef class ACE(Engine):
    cdef public OnlineCommittee committee
    cdef public dict options
    cdef public RowWindow buffer
    cdef public long long n_drifts
    cdef Py_ssize_t window
    cdef Py_ssize_t chunk_size
    cdef double power
    cdef bint soft
    cdef double[::1] lowest
    cdef double[::1] votes
    cdef int[::1] said

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        object new_model, object new_member, double[:, ::1] scores=*,
    ) except *
    cdef void _judge(self, Py_ssize_t y) except *
    cdef void _grow(self, object new_model, object new_member) except *
    cdef int _ask(self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i, double[::1] votes) except -2
    cdef bint _drifts(self) except -1
