from driftlearn.tree._fit_stump cimport heavier_left, midpoint
from driftlearn.tree._sorted_columns cimport Columns


cdef class GiniSearch(Columns):
    cdef Py_ssize_t min_samples_leaf
    cdef int[::1] constant_at
    cdef double[::1] counts
    cdef double[::1] left_counts
    cdef int[::1] rare_rows
    cdef double[:, ::1] rare_counts
    cdef double best
    cdef Py_ssize_t best_feature
    cdef double best_threshold
    cdef int best_missing
    cdef double[::1] missing_counts
    cdef bint two
    cdef double[::1] second
    cdef int[::1] group_start
    cdef int[::1] by_share
    cdef double[::1] share
    cdef unsigned char[::1] sides

    cdef void begin(self) noexcept nogil
    cdef void count(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil
    cdef void find_split(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t depth) noexcept nogil
    cdef void scan_sorted(self, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end, double weight, double squares) noexcept nogil
    cdef void scan_two(self, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end, double weight, double squares) noexcept nogil
    cdef void note_cut(self, Py_ssize_t k, double best, Py_ssize_t cut) noexcept nogil
    cdef void scan_with_gaps(self, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end) noexcept nogil
    cdef void scan_nominal(self, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t find_groups(self, Py_ssize_t k, Py_ssize_t start, Py_ssize_t known) noexcept nogil
    cdef void note_sides(self, Py_ssize_t k, Py_ssize_t n_groups, Py_ssize_t best) noexcept nogil
    cdef Py_ssize_t divide_by_code(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil
    cdef int better_side(self, Py_ssize_t n_left, Py_ssize_t n_right, Py_ssize_t n_missing) noexcept nogil
    cdef double quality(self, bint missing_left) noexcept nogil
    cdef void scan_binary(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil
    cdef void divide_columns(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil

