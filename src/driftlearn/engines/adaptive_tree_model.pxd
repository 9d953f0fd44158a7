cimport cython

from driftlearn.engines.adaptive_window cimport AdaptiveWindow
from driftlearn.engines.hoeffding_model cimport HoeffdingTreeModel
from driftlearn.engines.online_model cimport OnlineModel


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
cdef class AdaptiveTreeModel(OnlineModel):
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
    cdef readonly int n_nodes
    cdef readonly long long n_alternates
    cdef readonly long long n_switches
    cdef readonly AdaptiveNode root

    cdef AdaptiveNode _leaf_of(self, AdaptiveNode node, const double[:, ::1] X, Py_ssize_t i)
    cdef AdaptiveNode _child(self, AdaptiveNode node, const double[:, ::1] X, Py_ssize_t i)
    cdef void _learn(
        self, AdaptiveNode node, const double[:, ::1] X, Py_ssize_t i, int y, double w, bint main
    ) except *
    cdef void _learn_in_leaf(
        self, AdaptiveNode node, const double[:, ::1] X, Py_ssize_t i, int y, double w, bint main
    ) except *
    cdef long long _most(self, bint main) noexcept
    cdef bint _judge(self, AdaptiveNode node) except *
