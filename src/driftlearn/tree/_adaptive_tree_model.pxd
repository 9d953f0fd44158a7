cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.tree._hoeffding_model cimport HoeffdingTreeModel
from driftlearn.base._online_model cimport RowModel
from driftlearn.utils._row_pointers cimport start_of


@cython.final
cdef class AdaptiveNode:
    cdef public int depth
    cdef public int feature
    cdef public double threshold
    cdef public int missing_left
    cdef public HoeffdingTreeModel leaf
    cdef public AdaptiveWindow errors
    cdef public AdaptiveNode left
    cdef public AdaptiveNode right
    cdef public AdaptiveNode alternate


@cython.final
cdef class AdaptiveTreeModel(RowModel):
    cdef readonly double grace_period
    cdef readonly double delta
    cdef readonly double tie_threshold
    cdef readonly str leaf_prediction
    cdef unsigned char[::1] nominal
    cdef readonly int max_depth
    cdef readonly int max_nodes
    cdef readonly double drift_delta
    cdef readonly double switch_alpha
    cdef readonly int min_width
    cdef readonly str alternates
    cdef int n_growing
    cdef readonly int n_nodes
    cdef readonly long long n_alternates
    cdef readonly long long n_switches
    cdef readonly AdaptiveNode root
    cdef int main_prediction

    cdef int _predict(self, const double* row) except -3
    cdef int _test(self, const double* row, double* out) except -3
    cdef int _add_alternate_votes(self, const double* row, double* out) except -3
    cdef void _take(self, const double* row, int y, double w, int predicted) except *
    cdef AdaptiveNode _leaf_of(self, AdaptiveNode node, const double* row)
    cdef AdaptiveNode _child(self, AdaptiveNode node, const double* row)
    cdef void _learn(
        self, AdaptiveNode node, const double* row, int y, double w, bint main, int predicted
    ) except *
    cdef void _learn_in_leaf(
        self, AdaptiveNode node, const double* row, int y, double w, bint main
    ) except *
    cdef long long _most(self, bint main) noexcept
    cdef bint _compare(self, AdaptiveNode node) except *
