from driftlearn.kernels.leaves cimport Leaves

cdef (double, double, int, double) best_split(Leaves leaves, int leaf, int n_cuts) noexcept nogil
cdef (double, double) _best_cut(Leaves leaves, int leaf, int f, int n_cuts) noexcept nogil
cdef double _weight_left(Leaves leaves, int leaf, int c, int f, double t) noexcept nogil
cdef double _gain(Leaves leaves, int leaf) noexcept nogil
cdef double _surprise(double part, double whole) noexcept nogil
