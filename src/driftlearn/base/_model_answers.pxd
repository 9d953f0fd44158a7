from driftlearn.base._online_model cimport OnlineModel, check_rows
from driftlearn.utils._row_pointers cimport place_at, row_at
from driftlearn.base._probabilities cimport normalize_in_place


cpdef labels(OnlineModel model, const double[:, ::1] X)
