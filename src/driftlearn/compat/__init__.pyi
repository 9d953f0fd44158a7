# Written by `make stubs`.
from driftlearn.compat import capymoa as capymoa
from driftlearn.compat import mlflow as mlflow
from driftlearn.compat import river as river

__all__ = []
