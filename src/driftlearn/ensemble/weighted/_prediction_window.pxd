cimport cython

from driftlearn.base._engine cimport Engine


@cython.final
cdef class PredictionWindow(Engine):
    cdef public unsigned char[::1] correct
    cdef public long long n_predictions
    cdef public Py_ssize_t n_kept
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t right
    cdef readonly Py_ssize_t before

    cpdef void update(self, bint right) noexcept
    cdef double share(self) noexcept
