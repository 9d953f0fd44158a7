cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release
from cpython.exc cimport PyErr_Clear

from driftlearn.base._online_model cimport OnlineModel
from driftlearn.base._probabilities cimport normalize_in_place
from driftlearn.utils._row_pointers cimport start_of

cdef extern from "Python.h":  # without exceptions
    int get_buffer "PyObject_GetBuffer"(object thing, Py_buffer* view, int flags)


cdef inline bint take_values(object X, double[::1] out, double most) noexcept:
    cdef Py_buffer view
    cdef const double* values
    cdef double total = 0.0
    cdef Py_ssize_t f
    cdef bint fits
    if get_buffer(X, &view, PyBUF_STRIDES | PyBUF_FORMAT) < 0:
        PyErr_Clear()
        return False
    fits = (
        view.ndim == 2 and view.shape[0] == 1 and view.shape[1] == out.shape[0]
        and (view.strides[1] == sizeof(double) or view.shape[1] == 1)
        and view.format[0] == c"d" and view.format[1] == 0
    )
    if fits:
        values = <const double*> view.buf
        for f in range(out.shape[0]):
            out[f] = values[f]
            total += values[f] * values[f]
    PyBuffer_Release(&view)
    return fits and total <= most * most


cdef inline bint take_label(object y, long long[::1] out) noexcept:
    cdef Py_buffer view
    cdef bint fits
    if get_buffer(y, &view, PyBUF_STRIDES | PyBUF_FORMAT) < 0:
        PyErr_Clear()
        return False
    fits = (
        view.ndim == 1 and view.shape[0] == 1 and view.itemsize == 8
        and (view.format[0] == c"l" or view.format[0] == c"q") and view.format[1] == 0
    )
    if fits:
        out[0] = (<const long long*> view.buf)[0]
    PyBuffer_Release(&view)
    return fits


@cython.final
cdef class SingleRowPath:
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
    cdef list predictions

    cdef Py_ssize_t _code(self) noexcept
    cdef object _prediction(self, Py_ssize_t code)
    cdef int _update(self, object learner, object X, Py_ssize_t code) except -1
    cdef Py_ssize_t _best_class(self, object learner, object X) except -2


cdef bint _same(dict known, tuple names, tuple values)
