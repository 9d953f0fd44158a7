cpdef void pack(
    const short[:, ::1] codes,
    const Py_ssize_t[::1] y,
    Py_ssize_t m,
    unsigned char[:, ::1] by_member,
    unsigned char[:, ::1] by_row,
) noexcept nogil
cdef void _turn(
    const unsigned char[:, ::1] by_member,
    Py_ssize_t g,
    Py_ssize_t h,
    unsigned char[:, ::1] by_row,
) noexcept nogil
cpdef void tabulate(const double[::1] values, double[:, ::1] table) noexcept nogil
cpdef void look_up(
    const unsigned char[:, ::1] bits, const double[:, ::1] table, double[::1] out
) noexcept nogil
