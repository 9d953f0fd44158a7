cimport cython

from driftlearn.base._online_model cimport OnlineModel, RowModel
from driftlearn.utils._row_pointers cimport row_at, start_of


@cython.final
cdef class OutputCodeModel(RowModel):
    cdef public OnlineModel inner
    cdef public long long seed
    cdef public bint soft
    cdef public int[::1] side
    cdef double[::1] two
