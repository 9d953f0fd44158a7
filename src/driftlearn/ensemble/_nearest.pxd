cpdef nearest(
    const double[:, ::1] X, const double[:, ::1] rows, Py_ssize_t k, Py_ssize_t n_names=*,
    double unequal=*, bint others=*,
)
cpdef pairs_together(const Py_ssize_t[:, ::1] near, const unsigned char[:, ::1] inside)
