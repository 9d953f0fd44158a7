cdef inline const double* row_at(const double[:, ::1] X, Py_ssize_t i) noexcept nogil:
    return &X[i, 0]


cdef inline double* place_at(double[:, ::1] out, Py_ssize_t i) noexcept nogil:
    return &out[i, 0]


cdef inline double* start_of(double[::1] values) noexcept nogil:
    return &values[0]


cdef inline double* place_at_3d(
    double[:, :, ::1] out, Py_ssize_t i, Py_ssize_t k, Py_ssize_t f
) noexcept nogil:
    return &out[i, k, f]
