cpdef tuple fit_stump(
    const double[:, ::1] X,
    const int[:, ::1] order,
    const Py_ssize_t[::1] y,
    const double[::1] w,
    int n_classes,
)
cdef tuple _with_gaps(
    const double[:, ::1] X,
    const int[:, ::1] order,
    const Py_ssize_t[::1] y,
    const double[::1] w,
    double[::1] total,
    double most_right,
    double[::1] kept,
    bint side,
)
cdef bint _walk_gaps(
    const double[:, ::1] X,
    Py_ssize_t f,
    const int[:, ::1] order,
    const Py_ssize_t[::1] y,
    const double[::1] w,
    double[::1] total,
    double[::1] left,
    double[:, ::1] room,
    double[::1] kept,
    double[::1] best,
) noexcept nogil
cdef inline double _right_weight(double[::1] left, double[::1] total) noexcept nogil
cdef bint heavier_left(double[::1] left, double[::1] missing, double[::1] total) noexcept nogil
cdef double midpoint(double low, double high) noexcept nogil
