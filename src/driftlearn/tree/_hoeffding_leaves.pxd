cimport cython

from driftlearn.tree._leaf_arrays cimport (
    BAYES, CLASSES, CONSTANT, MAJORITY, MEAN, SINCE, WEIGHT, LeafArrays
)
from driftlearn.utils._normal_sums cimport softmax, sum_of_logs, sum_without_gaps
from driftlearn.utils._row_pointers cimport place_at, place_at_3d


@cython.final
cdef class HoeffdingLeaves(LeafArrays):
    cdef int admit(self, const double* row) except -1 nogil
    cdef int learn(self, int leaf, const double* row, int y, double w) except -1 nogil
    cdef int _learn_gaps(self, int s, const double* row, int y, double w, Py_ssize_t start) except -1 nogil
    cdef inline void _count(self, int s, int y, Py_ssize_t f, double x, double w) noexcept nogil
    cdef inline void _add(self, double* sums, Py_ssize_t f, double x, double w, double n, bint first) noexcept nogil
    cdef int majority(self, int leaf) noexcept nogil
    cdef int most_probable(self, int leaf, const double* row) noexcept nogil
    cdef void shares(self, int leaf, double* out) noexcept nogil
    cdef int probabilities(self, int leaf, const double* row, double* out) noexcept nogil
    cdef inline double log_posterior(self, int s, const double* row, int c) noexcept nogil
    cdef double _log_share(self, int s, int c, Py_ssize_t f, double x) noexcept nogil
    cdef double _log_posterior_with_gaps(self, int s, const double* row, int c) noexcept nogil
    cdef void _refresh(self, int s, int c) noexcept nogil
    cdef (double, int) mass(self, int leaf) noexcept nogil
    cdef int poorest(self) noexcept nogil
    cdef void hand_over(self, int active, int leaf) noexcept nogil
    cdef void _settle(self, int leaf, int s) noexcept nogil
    cdef bint has_room(self) noexcept nogil
    cdef int divide(self, int leaf) noexcept nogil
