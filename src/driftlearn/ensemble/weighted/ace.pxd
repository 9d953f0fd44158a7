cimport cython

from driftlearn.ensemble.weighted._prediction_window cimport PredictionWindow
from driftlearn.ensemble._row_engine cimport RowEngine
from driftlearn.base._online_model cimport OnlineModel, top_class
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class ACE(RowEngine):
    cdef public RowWindow buffer
    cdef public long long n_drifts
    cdef Py_ssize_t window
    cdef Py_ssize_t chunk_size
    cdef double power
    cdef double[::1] lowest
    cdef int[::1] predicted

    cdef void _update_weights(self, Py_ssize_t y) except *
    cdef int _predict(self, Py_ssize_t j, Py_ssize_t i, double[::1] votes) except -2
    cdef bint _drifts(self) except -1
