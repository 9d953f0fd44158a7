cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.tree._hoeffding_model cimport HoeffdingTreeModel


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
