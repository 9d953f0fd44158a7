cdef double sigmoid(double z) noexcept nogil
cpdef double lambert(double a) noexcept nogil
cpdef double implicit_step(double rate, const double[::1] z, const double[::1] a) noexcept nogil
cdef double _log_sum_exp(const double[::1] z, const double[::1] a, double s) noexcept nogil
