cimport cython

from driftlearn.base._engine cimport Engine
from driftlearn.drift._error_detector cimport ErrorDetector
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.utils._row_pointers cimport row_at


@cython.final
cdef class RCD(Engine):
    cdef public OnlineCommittee committee
    cdef public dict options
    cdef public list buffers
    cdef public Py_ssize_t current
    cdef public OnlineModel background
    cdef public RowWindow rows
    cdef public unsigned char[::1] met
    cdef public ErrorDetector detector
    cdef public long long n_drifts
    cdef public long long n_returns
    cdef Py_ssize_t check_every
    cdef Py_ssize_t least
    cdef double[::1] probas

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        object new_model, object rng, double[:, ::1] scores=*,
    ) except *
    cdef void _learn_one(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, object new_model,
        object rng, double[::1] probas,
    ) except *
    cdef bint _is_time(self) noexcept
    cdef int _ask(self, const double[:, ::1] X, Py_ssize_t i, double[::1] probas) except -2
    cdef void _pour(self, RowWindow window, Py_ssize_t n, RowWindow other) except *
