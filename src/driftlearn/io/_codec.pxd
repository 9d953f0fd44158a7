cimport cython


@cython.final
cdef class Piece:
    cdef readonly str name
    cdef readonly object first
    cdef readonly tuple shape
    cdef readonly bint is_fortran

    cpdef size(self)


@cython.final
cdef class Words:
    cdef dict places
    cdef dict layouts
    cdef list names
    cdef list rows


@cython.final
cdef class Encoder:
    cdef Words words
    cdef readonly bytearray out
    cdef dict places
    cdef dict layouts
    cdef dict ends
    cdef int depth

    cdef int number(self, unsigned long long n) except -1
    cdef int tagged(self, int tag, unsigned long long n) except -1
    cdef int word(self, str text) except -1
    cdef int piece(self, Piece piece) except -1
    cdef int layout(self, dict node) except -1
    cpdef put(self, value)


@cython.final
cdef class Decoder:
    cdef bytes data
    cdef readonly Py_ssize_t at
    cdef Py_ssize_t end
    cdef Words words
    cdef list names
    cdef list rows
    cdef dict ends
    cdef long long left
    cdef int depth

    cdef int byte(self) except -1
    cdef unsigned long long number(self) except? 0
    cdef int _has(self, unsigned long long n) except -1
    cdef bytes take(self, unsigned long long n)
    cdef str name(self, unsigned long long place)
    cdef tuple row(self, unsigned long long place)
    cdef tuple new_row(self)
    cdef list items(self)
    cdef nested(self, int tag)
    cdef dict by_row(self, tuple names)
    cdef Piece piece(self, bint is_fortran)
    cpdef get(self)
