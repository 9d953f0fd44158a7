cimport cython

from driftlearn.engines.online_model cimport OnlineModel


@cython.final
cdef class SubspaceModel(OnlineModel):
    cdef readonly OnlineModel inner
    cdef int[::1] columns
    cdef double[:, ::1] row

    cdef void _look_at(self, const double[:, ::1] X, Py_ssize_t i) noexcept nogil
