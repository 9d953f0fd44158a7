cimport cython

from driftlearn.tree._hoeffding_leaves cimport HoeffdingLeaves


@cython.final
cdef class HoeffdingNodes:
    cdef readonly int n
    cdef int[:, ::1] links
    cdef double[::1] threshold
    cdef int n_features
    cdef readonly long long seed
    cdef int[:, ::1] subset

    cdef int find(self, const double* row, HoeffdingLeaves leaves) noexcept nogil
    cdef int _find_nominal(self, const double* row, HoeffdingLeaves leaves) noexcept nogil
    cdef bint has_room(self) noexcept nogil
    cdef void split(self, int node, int feature, double cut, bint missing_left, int right) noexcept nogil
    cdef void _write(self, int node, int feature, int child, bint missing_left, double cut) noexcept nogil
