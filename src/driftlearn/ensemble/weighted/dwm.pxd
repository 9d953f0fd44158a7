cimport cython

from driftlearn.ensemble._row_engine cimport RowEngine
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class DWM(RowEngine):
    cdef public RowWindow window
    cdef double beta
    cdef double theta
    cdef int period
    cdef bint online_update

    cdef void _original(self, Py_ssize_t i, const double* row, Py_ssize_t y) except *
    cdef void _windowed(self, Py_ssize_t i, const double* row, Py_ssize_t y) except *
    cdef void _train_on_window(self, Py_ssize_t j) except *
    cdef int _reduce_weights(self, const double* row, Py_ssize_t y) except -1 nogil
    cdef void _scale(self) noexcept nogil
