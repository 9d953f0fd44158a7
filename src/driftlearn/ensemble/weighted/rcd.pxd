cimport cython

from driftlearn.ensemble._row_engine cimport RowEngine
from driftlearn.drift._error_detector cimport ErrorDetector
from driftlearn.base._online_model cimport OnlineModel, top_class
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class RCD(RowEngine):
    cdef public list buffers
    cdef public Py_ssize_t current
    cdef public OnlineModel background
    cdef public RowWindow rows
    cdef public unsigned char[::1] seen_classes
    cdef public ErrorDetector detector
    cdef public long long n_drifts
    cdef public long long n_returns
    cdef Py_ssize_t check_every
    cdef Py_ssize_t least

    cdef bint _is_time(self) noexcept
    cdef int _predict(self, Py_ssize_t i, double[::1] probas) except -2
    cdef void _copy_rows(self, RowWindow window, Py_ssize_t n, RowWindow other) except *
