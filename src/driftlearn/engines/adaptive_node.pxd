cimport cython

from driftlearn.engines.adaptive_window cimport AdaptiveWindow
from driftlearn.engines.hoeffding_model cimport HoeffdingTreeModel


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
