cdef void _walk(
    const int[::1] feature, const double[::1] threshold, const int[:, ::1] child,
    const unsigned char[::1] missing_left, const double[:, ::1] X, int[::1] leaf,
) noexcept nogil
