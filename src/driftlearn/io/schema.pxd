# Compiled because it checks every attribute of every state of a key that is loaded.

cdef _check_field(kind, str name, field, value, dict sizes)
cdef bint _is_whole(value)
cdef int _check_array(value, str kind, tuple axes, dict sizes) except -1
cdef int _check_type(value, kind) except -1
cdef double LAST
cdef int _scan_doubles(const double[::1] numbers, double least, bint finite) except -1
