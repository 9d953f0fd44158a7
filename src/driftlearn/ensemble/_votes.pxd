ctypedef fused Code:
    signed char
    short


cpdef tally(const int[:, ::1] labels, const double[::1] weights, Py_ssize_t n_classes)
cpdef blend(probas, const double[::1] weights)
cpdef tally_each(const int[:, ::1] labels, const double[:, ::1] weights, Py_ssize_t n_classes)
cpdef tally_cached(
    Code[:, ::1] predictions, const Py_ssize_t[::1] where, const double[::1] weights,
    Py_ssize_t n_classes,
)
cpdef blend_cached(const double[:, :, ::1] shares, const Py_ssize_t[::1] where)
