cdef class Writer:
    cdef public object names
    cdef public dict blocks
    cdef dict _block
    cdef dict _numbers
    cdef list _alive
    cdef set _open
    cdef int _depth

    cpdef value(self, x)
    cdef _node(self, x, kind)
    cdef _number(self, x, node=*)
    cdef list _list(self, list x)
    cdef list _items(self, x)
    cdef dict _dict(self, dict x)
    cdef _array(self, x)
    cdef list _new_block(self, dtype)
    cdef dict _object(self, x)
    cdef dict _plain(self, x, name)
