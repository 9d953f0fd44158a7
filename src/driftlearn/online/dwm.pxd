cimport cython

from driftlearn.engines.engine cimport Engine
from driftlearn.engines.online_committee cimport OnlineCommittee
from driftlearn.engines.row_window cimport RowWindow


@cython.final
cdef class DWM(Engine):
    cdef public OnlineCommittee committee
    cdef public dict options
    cdef public RowWindow window
    cdef bint soft
    cdef double beta
    cdef double theta
    cdef int period
    cdef bint online_update

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        object new_model, double[:, ::1] scores=*,
    ) except *
    cdef void _vote(self, const double[:, ::1] X, Py_ssize_t i, double[::1] votes) except *
    cdef void _original(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, object new_model
    ) except *
    cdef void _windowed(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, object new_model
    ) except *
    cdef void _teach_window(self, Py_ssize_t j) except *
    cdef bint _judge(self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y) except *
    cdef void _scale(self) noexcept nogil
