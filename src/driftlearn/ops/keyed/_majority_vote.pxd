cdef double TOLERANCE
cpdef vote(
    const Py_ssize_t[:, ::1] codes, const Py_ssize_t[::1] truth, double[::1] weights,
    const double[::1] prior, double beta, double share, Py_ssize_t[:, ::1] out,
)
cdef double weight_of(
    const Py_ssize_t[:, ::1] codes, const double[::1] weights, Py_ssize_t i, Py_ssize_t first,
) noexcept nogil
cdef bint is_first(const Py_ssize_t[:, ::1] codes, Py_ssize_t i, Py_ssize_t j) noexcept nogil
cdef void update(
    const Py_ssize_t[:, ::1] codes, Py_ssize_t i, Py_ssize_t truth, double[::1] weights,
    double beta,
) noexcept nogil
