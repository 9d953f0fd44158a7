cimport cython

from driftlearn.engines.online_model cimport OnlineModel
from driftlearn.engines.hoeffding_leaves cimport HoeffdingLeaves
from driftlearn.engines.hoeffding_splits cimport best_split, divide_weights


@cython.final
cdef class HoeffdingTreeModel(OnlineModel):
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

    cdef readonly int n_nodes
    cdef int[::1] feature
    cdef double[::1] threshold
    cdef int[::1] child
    cdef unsigned char[::1] missing_left
    cdef readonly long long seed
    cdef int[:, ::1] subset
    cdef readonly HoeffdingLeaves leaves
    cdef int node
    cdef int majority
    cdef int likely

    cdef int _test(self, const double[:, ::1] X, Py_ssize_t i, double[::1] out) noexcept nogil
    cdef int _learn_tested(self, const double[:, ::1] X, Py_ssize_t i, int y, double w) except -1 nogil
    cdef int _learn(self, const double[:, ::1] X, Py_ssize_t i, int y, double w) except -1 nogil
    cdef int _learn_there(self, const double[:, ::1] X, Py_ssize_t i, int y, double w) except -1 nogil
    cdef int _node_of(self, const double[:, ::1] X, Py_ssize_t i) noexcept nogil
    cdef bint _asks_bayes(self, int leaf) noexcept nogil
    cdef void _scores(self, const double[:, ::1] X, Py_ssize_t i, double[::1] out) noexcept nogil
    cdef int _consider_split(self, int node) except -1 nogil
    cdef void _claim_slot(self, int leaf) noexcept nogil
