cdef void _walk(
    const int[::1] feature, const double[::1] threshold, const int[:, ::1] child,
    const unsigned char[::1] missing_left, const int[::1] group, const unsigned char[::1] sets,
    Py_ssize_t n_codes, const double[:, ::1] X, int[::1] leaf,
) noexcept nogil

cdef int side_of(
    const unsigned char[::1] sets, Py_ssize_t at, Py_ssize_t n_codes, double x, int missing_left
) noexcept nogil
