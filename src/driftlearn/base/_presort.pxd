cdef void _make_keys(
    const unsigned long long[:, ::1] bits, Py_ssize_t f, unsigned long long[::1] keys
) noexcept nogil
cdef bint _sort_two_values(const unsigned long long[::1] keys, int[::1] order) noexcept nogil
cdef bint _sort_by_leading_bits(
    unsigned long long[:, ::1] keys, int[:, ::1] places, int[::1] order
) noexcept nogil
cdef void _sort_bytewise(
    unsigned long long[:, ::1] keys, int[:, ::1] places, int[::1] order
) noexcept nogil
