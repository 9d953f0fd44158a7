from driftlearn.base._online_model cimport OnlineModel, check_rows
from driftlearn.utils._row_pointers cimport place_at, row_at


cdef bint normalize_in_place(double[:, ::1] scores) except -1
cpdef labels(OnlineModel model, const double[:, ::1] X)
