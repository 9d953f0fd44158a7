cdef class Engine:
    pass
