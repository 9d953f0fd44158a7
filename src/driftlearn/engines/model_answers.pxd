from driftlearn.engines.online_model cimport OnlineModel, check_rows
from driftlearn.kernels.row_pointers cimport place_at, row_at
from driftlearn.kernels.row_shares cimport to_shares


cpdef labels(OnlineModel model, const double[:, ::1] X)
