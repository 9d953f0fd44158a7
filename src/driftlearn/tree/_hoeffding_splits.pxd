from driftlearn.tree._leaf_arrays cimport MEAN, WEIGHT
from driftlearn.tree._hoeffding_leaves cimport HoeffdingLeaves
from driftlearn.utils._row_pointers cimport place_at, place_at_3d

cdef (double, double, int, double) best_split(
    HoeffdingLeaves leaves, int slot, int n_cuts, const int[:, ::1] subset, int node
) noexcept nogil
cdef bint should_split(
    double best, double second, double n, int n_classes, double delta, double tie_threshold
) noexcept nogil
cdef bint divide_weights(HoeffdingLeaves leaves, int slot, int f) noexcept nogil
cdef (double, double) _best_cut(HoeffdingLeaves leaves, int slot, int f, int n_cuts) noexcept nogil
cdef (double, double) _best_value(HoeffdingLeaves leaves, int slot, int f) noexcept nogil
cdef double _gain(HoeffdingLeaves leaves) noexcept nogil
cdef inline double _entropy_term(double part, double whole) noexcept nogil
