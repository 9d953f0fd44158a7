cimport cython

from driftlearn.base._online_model cimport OnlineModel


@cython.final
cdef class Borrowed:
    cdef list things
    cdef Py_ssize_t[::1] places
    cdef void** at

    cdef bint are(self, list things) noexcept
    cdef void put(self, Py_ssize_t j, object thing) except *
    cdef bint are_free(self) noexcept


cdef Borrowed borrowed(list things, Borrowed before)
