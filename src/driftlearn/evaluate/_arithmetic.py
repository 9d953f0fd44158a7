"""Arithmetic in which nan means a missing value."""

from typing import Any

import numpy as np

from driftlearn.utils.arguments import Floats


def ratio(a: Any, b: Any) -> Floats:
    """Return a / b, with nan where b is 0."""
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    return np.divide(a, b, out=np.full(a.shape, np.nan), where=b != 0)


def mean(values: Any, axis: int = -1) -> Floats:
    """Return the mean without nan; nan, without a warning, if there are no values."""
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0.0).sum(axis), known.sum(axis))


def std(values: Any, axis: int = -1) -> Floats:
    """Return the sample standard deviation without nan; nan for fewer than two values."""
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    off = np.where(known, values - np.expand_dims(mean(values, axis), axis), 0.0)
    return np.sqrt(ratio((off**2).sum(axis), np.maximum(known.sum(axis) - 1, 0)))
