cpdef int poisson(double u, double lam) noexcept nogil
