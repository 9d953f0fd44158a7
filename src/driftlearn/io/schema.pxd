# Compiled because it looks at every attribute of every state of a key that is loaded.

cdef _look(kind, str name, field, value, dict sizes)
cdef bint _is_whole(value)
cdef int _array(value, str kind, tuple axes, dict sizes) except -1
cdef double LAST
cdef int _quickly(const double[::1] numbers, double least, bint finite) except -1
