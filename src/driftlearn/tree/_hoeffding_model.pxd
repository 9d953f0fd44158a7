cimport cython

from driftlearn.base._online_model cimport RowModel, check_scores
from driftlearn.tree._hoeffding_leaves cimport HoeffdingLeaves
from driftlearn.tree._hoeffding_nodes cimport HoeffdingNodes
from driftlearn.tree._hoeffding_splits cimport best_split, divide_weights, should_split
from driftlearn.tree._leaf_arrays cimport BAYES, MAJORITY, SINCE
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class HoeffdingTreeModel(RowModel):
    cdef readonly double grace_period
    cdef readonly double delta
    cdef readonly double tie_threshold
    cdef readonly int n_split_points
    cdef readonly str leaf_prediction
    cdef readonly int max_depth
    cdef readonly int max_nodes
    cdef readonly long long max_bytes
    cdef bint bayes
    cdef bint adaptive

    cdef readonly HoeffdingNodes nodes
    cdef readonly HoeffdingLeaves leaves
    cdef int node
    cdef int majority
    cdef int likely

    cdef int _visit(self, const double* row) noexcept nogil
    cdef int _learn_there(self, const double* row, int y, double w) except -1 nogil
    cdef inline int _leaf_at(self, int node) noexcept nogil
    cdef bint _uses_bayes(self, int leaf) noexcept nogil
    cdef void _scores(self, const double* row, double* out) noexcept nogil
    cdef int _consider_split(self, int node) except -1 nogil
    cdef int _split(self, int node, int feature, double cut) except -1 nogil
    cdef void _claim_slot(self, int leaf) noexcept nogil
