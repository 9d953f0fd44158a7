cpdef tally_own(const int[:, ::1] labels, const double[:, ::1] weights)
cpdef tally_discounted(
    const int[:, ::1] labels, const double[::1] weights, const unsigned char[:, ::1] known,
    const double[:, ::1] confidence, double negligible,
)
cpdef named_shares(
    const int[:, ::1] labels, const double[:, ::1] weights, const Py_ssize_t[::1] members,
    const double[::1] possible,
)
cpdef add_shares(
    double[:, ::1] scores, const double[::1] share, const Py_ssize_t[::1] row,
    const Py_ssize_t[::1] code, const double[::1] part, const double[::1] total,
)
