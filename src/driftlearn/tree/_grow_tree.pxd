cimport cython

from driftlearn.tree._gini_search cimport GiniSearch
from driftlearn.tree._packed_trees cimport side_of


@cython.final
cdef class _Grower(GiniSearch):
    cdef Py_ssize_t min_samples_split
    cdef Py_ssize_t max_depth
    cdef int[:, ::1] pending
    cdef tuple arrays
    cdef int[::1] feature
    cdef double[::1] threshold
    cdef int[::1] left
    cdef int[::1] right
    cdef double[:, ::1] value
    cdef unsigned char[::1] missing_left
    cdef int[::1] group
    cdef unsigned char[::1] sets
    cdef Py_ssize_t n_codes
    cdef Py_ssize_t n_sets
    cdef Py_ssize_t used

    cdef void drop_rows(self, int[::1] leaf, int[::1] arrived, int[::1] depth) noexcept nogil
    cdef void group_by_leaf(self, int[::1] leaf, int[::1] arrived, int[::1] places) noexcept nogil
    cdef int grow(self, Py_ssize_t node, Py_ssize_t start, Py_ssize_t end, Py_ssize_t depth) except -1 nogil
    cdef void push(self, Py_ssize_t top, Py_ssize_t start, Py_ssize_t end, Py_ssize_t depth, Py_ssize_t parent) noexcept nogil
    cdef int add_set(self) except -1 nogil
    cdef bint stops(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t depth) noexcept nogil
    cdef bint heavier_left(self, Py_ssize_t node) noexcept nogil
    cdef void make_leaf(self, Py_ssize_t node, Py_ssize_t start, Py_ssize_t end) noexcept nogil
