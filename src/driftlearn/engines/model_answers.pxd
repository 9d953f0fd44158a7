from driftlearn.engines.online_model cimport OnlineModel
from driftlearn.kernels.row_shares cimport to_shares
