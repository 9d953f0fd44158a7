cdef class LeafArrays:
    cdef int n_features
    cdef int n_classes
    cdef long long max_bytes
    cdef bint any_nominal
    cdef bint gaps
    cdef tuple of_slots
    cdef unsigned char[::1] nominal
    cdef int[::1] n_values
    cdef int[::1] offset

    cdef readonly int n_leaves
    cdef readonly int n_active
    cdef public int[::1] depth
    cdef public double[::1] since_check
    cdef public double[::1] majority_right
    cdef public double[::1] bayes_right
    cdef public int[::1] slot
    cdef public double[:, ::1] class_weight

    cdef public int[::1] owner
    cdef public double[:, ::1] weight
    cdef public double[:, :, ::1] mean
    cdef public double[:, :, ::1] m2
    cdef public double[:, :, ::1] low
    cdef public double[:, :, ::1] high
    cdef public double[:, :, ::1] counts
    cdef public double[:, :, ::1] known

    cdef unsigned char[:, ::1] stale
    cdef double[:, :, ::1] variance
    cdef double[:, ::1] constant
    cdef double[:, ::1] left
    cdef double surprise

    cdef double promise(self, int leaf) noexcept nogil
