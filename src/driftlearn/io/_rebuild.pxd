cdef class Reader:
    cdef public object names
    cdef public dict blocks
    cdef public object max_work
    cdef public bint is_old
    cdef list _things
    cdef set _unfinished
    cdef int _n_compiled
    cdef list _later
    cdef int _depth

    cpdef value(self, node)
    cdef _nested(self, node, kind)
    cdef list _list(self, list node)
    cdef list _items(self, items)
    cdef dict _dict(self, dict node)
    cdef _piece(self, name, first, shape, bint is_fortran)
    cdef _new(self, dict node)
    cdef _restore(self, dict node)
    cdef Py_ssize_t _begun(self, thing) except -1
