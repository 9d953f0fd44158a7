# Columns of `tallies`: the class weights begin at CLASSES.
cdef enum:
    SINCE
    MAJORITY
    BAYES
    CLASSES

# Columns of `sums`: the statistics of the attributes begin at MEAN.
cdef enum:
    WEIGHT
    CONSTANT
    MEAN


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
    cdef int[:, ::1] places
    cdef double[:, ::1] tallies

    cdef int[::1] owner
    cdef double[:, :, ::1] sums
    cdef double[:, :, ::1] counts
    cdef double[:, :, ::1] known

    cdef double[:, ::1] left
    cdef double entropy

    cdef double promise(self, int leaf) noexcept nogil
