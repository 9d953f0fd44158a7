cimport cython


@cython.final
cdef class Turns:
    cdef Py_ssize_t[::1] at
    cdef Py_ssize_t[::1] look
    cdef Py_ssize_t[::1] owner
    cdef unsigned char[::1] busy
    cdef unsigned char[::1] here
    cdef readonly Py_ssize_t last
    cdef readonly Py_ssize_t n_left
    cdef readonly Py_ssize_t end
    cdef Py_ssize_t longest

    cpdef void begin(self, Py_ssize_t first, Py_ssize_t last, Py_ssize_t n_threads, Py_ssize_t longest) noexcept nogil
    cpdef void expect(self, Py_ssize_t j, long long rows) noexcept nogil
    cpdef Py_ssize_t take(self, Py_ssize_t who, bint others) noexcept nogil
    cdef bint _is_before(self, Py_ssize_t j, Py_ssize_t k, Py_ssize_t who) noexcept nogil
    cpdef void give(self, Py_ssize_t j, Py_ssize_t end, bint stops) noexcept nogil
    cpdef bint any_busy(self) noexcept nogil
