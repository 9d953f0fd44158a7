cdef tuple _present(
    double[:, ::1] wide, double[::1] sizes, Py_ssize_t[::1] labels, long long[::1] learned,
    const double[:, ::1] codes, const Py_ssize_t[::1] y, const Py_ssize_t[::1] order,
    double choice, double rate, double vigilance, double increment, long long before,
    Py_ssize_t most, Py_ssize_t done, Py_ssize_t n, Py_ssize_t[::1] predicted,
)
cdef void _choose(
    double[:, ::1] wide, double[::1] sizes, const double[:, ::1] codes, double choice,
    Py_ssize_t[::1] winners,
) except *
cdef void _compare(
    double[:, ::1] wide, double[::1] sizes, const double[::1] code, double choice, Py_ssize_t n,
    double[::1] choices, double[::1] overlaps,
) noexcept nogil
cdef Py_ssize_t _next(
    double[::1] choices, double[::1] matches, Py_ssize_t n, double rho, Py_ssize_t after
) noexcept nogil
cdef Py_ssize_t _oldest(long long[::1] learned, Py_ssize_t n) noexcept nogil
cdef double _move(double[:, ::1] wide, Py_ssize_t j, const double[::1] code, double rate) noexcept nogil
