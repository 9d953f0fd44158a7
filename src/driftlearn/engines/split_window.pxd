cimport cython


@cython.final
cdef class SplitWindow:
    cdef readonly int window_size
    cdef readonly double k_sd
    cdef readonly int min_sub
    cdef readonly int width
    cdef readonly bint rising
    cdef int start
    cdef double[::1] errors

    cpdef bint update(self, double error) except *
    cdef int _cut(self) noexcept nogil
