cpdef fill(
    double[:, ::1] X, double[::1] count, double[::1] mean, double[::1] var,
    const unsigned char[::1] scaled, double window, bint native, bint learning,
)
cpdef first_beyond(const double[:, ::1] X, double most)
cpdef shares(const Py_ssize_t[::1] codes, double[::1] counts, bint learning)
