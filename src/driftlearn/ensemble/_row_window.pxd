cimport cython


@cython.final
cdef class RowWindow:
    cdef readonly Py_ssize_t n_features
    cdef readonly Py_ssize_t n_classes
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t start
    cdef readonly Py_ssize_t n_present
    cdef readonly Py_ssize_t n_members
    cdef double[:, ::1] X
    cdef Py_ssize_t[::1] y
    cdef double[::1] w
    cdef short[:, ::1] codes
    cdef Py_ssize_t[::1] count
    cdef int[:, ::1] order
    cdef Py_ssize_t n_left

    cpdef void append(self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w) noexcept
    cpdef void shrink(self, Py_ssize_t n) noexcept
    cdef void _to_front(self) noexcept nogil
    cpdef void sort(self) except *
    cdef void _sort_column(self, Py_ssize_t f) noexcept nogil
    cpdef void add_member(self, const short[::1] codes) except *
    cdef RowWindow resampled(self, const Py_ssize_t[::1] rows)
    cdef void select_members(self, const Py_ssize_t[::1] index, Py_ssize_t n_kept) noexcept nogil


cdef bint _comes_after(double a, double b) noexcept nogil
