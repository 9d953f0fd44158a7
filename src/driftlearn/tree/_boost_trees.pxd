cimport cython


cdef void _add_rows(
    const int[::1] rows, Py_ssize_t begin, Py_ssize_t end, const unsigned char[:, ::1] bins,
    const int[::1] start, const float complex[::1] slopes, double complex[::1] sums, int[::1] counts,
    bint counting,
) noexcept nogil

cdef void _softmax(const double[:, ::1] score, Py_ssize_t i, double[::1] out) noexcept nogil


@cython.final
cdef class TreeGrower:
    cdef const unsigned char[:, ::1] bins
    cdef const int[::1] n_bins
    cdef const unsigned char[::1] nominal
    cdef unsigned char[::1] has_missing
    cdef int[::1] order
    cdef int[::1] start
    cdef Py_ssize_t total
    cdef Py_ssize_t max_leaf_nodes
    cdef Py_ssize_t max_depth
    cdef Py_ssize_t min_samples_leaf
    cdef double l2
    cdef const float complex[::1] slopes
    cdef int[::1] rows
    cdef int[::1] spare
    cdef double complex[::1] sums
    cdef int[::1] counts
    cdef int[::1] root_counts
    cdef int[::1] free
    cdef Py_ssize_t n_free
    cdef int[::1] filled
    cdef double[::1] ratio
    cdef const unsigned char[:, ::1] allowed
    cdef int[::1] begin
    cdef int[::1] end
    cdef int[::1] depth
    cdef int[::1] slot
    cdef int[::1] feature
    cdef int[::1] code
    cdef double[::1] sum_g
    cdef double[::1] sum_h
    cdef double[::1] value
    cdef double[::1] gain
    cdef double[::1] left_g
    cdef double[::1] left_h
    cdef unsigned char[:, ::1] goes_left
    cdef Py_ssize_t n_splits
    cdef Py_ssize_t n_splits_before
    cdef Py_ssize_t n_leaves_before
    cdef list trees

    cdef void _grow(self) noexcept nogil
    cdef void _begin_root(self) noexcept nogil
    cdef void _split(self, Py_ssize_t node) noexcept nogil
    cdef Py_ssize_t _divide_rows(self, Py_ssize_t node) noexcept nogil
    cdef Py_ssize_t _take_slot(self) noexcept nogil
    cdef void _release(self, Py_ssize_t node) noexcept nogil
    cdef double _value(self, double g, double h) noexcept nogil
    cdef void _search(self, Py_ssize_t node) noexcept nogil
    cdef void _search_numeric(self, Py_ssize_t node, Py_ssize_t f) noexcept nogil
    cdef void _search_nominal(self, Py_ssize_t node, Py_ssize_t f) noexcept nogil
    cdef double _gain(self, Py_ssize_t node, double g, double h, double right_g, double right_h) noexcept nogil
