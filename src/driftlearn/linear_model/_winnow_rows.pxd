cpdef winnow_rows(
    const unsigned char[:, ::1] on, const int[::1] y, double[:, ::1] plus, double[:, ::1] minus,
    unsigned char[::1] came, double threshold, double promotion, double smallest, double largest,
    bint eliminates, bint balanced, double[:, ::1] scores, bint learning,
)
cdef void _write_scores(double[::1] exceed, unsigned char[::1] came, double[::1] scores) noexcept
cdef void _move(
    const unsigned char[::1] on, double[::1] weights, double promotion, bint up, double smallest,
    double largest, bint eliminates,
) noexcept
