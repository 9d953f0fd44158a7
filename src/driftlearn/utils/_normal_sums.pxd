cdef double sum_without_gaps(const double* mean, const double* variance, Py_ssize_t first, const double* row, Py_ssize_t n, double least) noexcept nogil
cdef double sum_of_logs(const double* values, Py_ssize_t first, Py_ssize_t n, double least) noexcept nogil
cdef void softmax(double* out, Py_ssize_t n) noexcept nogil
cdef int weigh(double* out, const double* share, Py_ssize_t n) noexcept nogil
cdef int heaviest(double* out, const double* share, Py_ssize_t n) noexcept nogil
