cpdef probas(
    const int[::1] feature, const double[::1] threshold, const unsigned char[::1] missing_left,
    const double[:, :, ::1] value, const double[:, ::1] X, Py_ssize_t n_classes, bint summed=*,
)
