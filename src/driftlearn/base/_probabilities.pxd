cdef bint normalize_in_place(double[:, ::1] scores) except -1
