cpdef tuple fit_stump(
    const double[:, ::1] X,
    const int[:, ::1] order,
    const Py_ssize_t[::1] y,
    const double[::1] w,
    int n_classes,
)
