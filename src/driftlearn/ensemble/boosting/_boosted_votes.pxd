cdef void votes_by_row(
    double[:, ::1] votes, const short[:, ::1] codes, const double[::1] alpha, Py_ssize_t m
) noexcept nogil
cdef void gains_by_member(
    double[:, ::1] sums, const short[:, ::1] codes, const double[:, :, ::1] pull
) noexcept nogil
cpdef void soften(double[:, ::1] votes, double scale) noexcept nogil
cdef void soften_one(double[::1] votes, double scale) noexcept nogil
