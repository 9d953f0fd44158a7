cimport cython

from driftlearn.base._engine cimport Engine
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.utils._row_pointers cimport place_at, row_at


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
    cdef int _vote(self, const double* row, double* votes) except -1 nogil
    cdef void _original(
        self, const double* row, Py_ssize_t y, double w, object new_model
    ) except *
    cdef void _windowed(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, object new_model
    ) except *
    cdef void _teach_window(self, Py_ssize_t j) except *
    cdef int _judge(self, const double* row, Py_ssize_t y) except -1 nogil
    cdef void _scale(self) noexcept nogil
