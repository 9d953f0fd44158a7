cimport cython

from driftlearn.base._online_model cimport OnlineModel


@cython.final
cdef class PointerList:
    cdef list objects
    cdef Py_ssize_t[::1] addresses
    cdef void** at

    cdef bint holds(self, list objects) noexcept
    cdef void set(self, Py_ssize_t j, object new) except *
    cdef bint all_lock_free(self) noexcept


cdef PointerList pointers_to(list objects, PointerList before)
