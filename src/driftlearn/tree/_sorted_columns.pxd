cdef class Columns:
    cdef const double[:, ::1] X
    cdef const int[:, ::1] order
    cdef const int[::1] y
    cdef const double[::1] w
    cdef bint whole
    cdef const unsigned char[::1] nominal

    cdef int[:, ::1] lists
    cdef int[::1] rows
    cdef int[::1] goes_left
    cdef int[::1] spare
    cdef int[::1] many
    cdef double[:, ::1] values
    cdef int[::1] binary
    cdef int[::1] rare
    cdef int[::1] rare_start

    cdef int choose_kept(self, Py_ssize_t f, int[::1] kept) noexcept nogil
    cdef void lay_out(self, int[:, ::1] kept) noexcept nogil
    cdef void fill_lists(self) noexcept nogil
    cdef Py_ssize_t divide_rows(self, Py_ssize_t f, double threshold, bint missing_left, Py_ssize_t start, Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t divide(self, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end) noexcept nogil


cdef bint _are_whole(const double[::1] w) noexcept nogil
