cimport cython

from driftlearn.base._online_model cimport OnlineModel
from driftlearn.tree._packed_trees cimport side_of


@cython.final
cdef class FixedTree(OnlineModel):
    cdef readonly int n_nodes
    cdef public int[::1] feature
    cdef public double[::1] threshold
    cdef public int[:, ::1] child
    cdef public double[:, ::1] share
    cdef public unsigned char[::1] missing_left
    cdef public int[::1] group
    cdef public unsigned char[:, ::1] sets
    cdef unsigned char[::1] sides
    cdef int[::1] label

    cdef Py_ssize_t _leaf_of(self, const double[:, ::1] X, Py_ssize_t i) noexcept nogil
