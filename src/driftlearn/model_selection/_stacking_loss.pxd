cpdef double log_loss(const double[:, :, ::1] z, const Py_ssize_t[::1] y, const double[::1] w, const double[::1] theta, double[:, ::1] probas)
cpdef void add_derivatives(const double[:, :, ::1] z, const Py_ssize_t[::1] y, const double[::1] w, const double[:, ::1] probas, double[::1] gradient, double[:, ::1] hessian)
