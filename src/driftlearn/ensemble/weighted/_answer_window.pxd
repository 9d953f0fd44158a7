cimport cython

from driftlearn.base._engine cimport Engine


@cython.final
cdef class AnswerWindow(Engine):
    cdef public unsigned char[::1] answers
    cdef public long long asked
    cdef public Py_ssize_t kept
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t right
    cdef readonly Py_ssize_t before

    cpdef void update(self, bint right) noexcept
    cdef double share(self) noexcept
