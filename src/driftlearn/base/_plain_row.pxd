from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release
from cpython.exc cimport PyErr_Clear

cdef extern from "Python.h":  # one that only says that it failed
    int get_buffer "PyObject_GetBuffer"(object thing, Py_buffer* view, int flags)


cdef inline bint take_values(object X, double[::1] room, double most) noexcept:
    cdef Py_buffer view
    cdef const double* values
    cdef double total = 0.0
    cdef Py_ssize_t f
    cdef bint fits
    if get_buffer(X, &view, PyBUF_STRIDES | PyBUF_FORMAT) < 0:
        PyErr_Clear()
        return False
    fits = (
        view.ndim == 2 and view.shape[0] == 1 and view.shape[1] == room.shape[0]
        and (view.strides[1] == sizeof(double) or view.shape[1] == 1)
        and view.format[0] == c"d" and view.format[1] == 0
    )
    if fits:
        values = <const double*> view.buf
        for f in range(room.shape[0]):
            room[f] = values[f]
            total += values[f] * values[f]
    PyBuffer_Release(&view)
    return fits and total <= most * most


cdef inline bint take_label(object y, long long[::1] room) noexcept:
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
        room[0] = (<const long long*> view.buf)[0]
    PyBuffer_Release(&view)
    return fits
