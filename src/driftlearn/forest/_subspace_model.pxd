cimport cython

from driftlearn.base._online_model cimport OnlineModel, RowModel
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class SubspaceModel(RowModel):
    cdef public OnlineModel inner
    cdef public int[::1] columns
    cdef double[:, ::1] part

    cdef const double* _part_of(self, const double* row) noexcept nogil
