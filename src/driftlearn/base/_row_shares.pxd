cdef bint to_shares(double[:, ::1] scores) except -1
