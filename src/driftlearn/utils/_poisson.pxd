cimport cython


cpdef int poisson(double u, double lam) noexcept nogil


@cython.final
cdef class PoissonTable:
    cdef readonly double rate
    cdef double parts
    cdef double[::1] sums
    cdef int[::1] begin

    cpdef int draw(self, double u) noexcept nogil
