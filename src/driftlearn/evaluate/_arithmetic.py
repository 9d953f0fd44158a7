"""Arithmetic that knows nan as "nothing there"."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.utils.typing import Floats


def ratio(a: Any, b: Any) -> Floats:
    """Divide, with nan where there is nothing to divide by."""
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    quotient: Floats = np.divide(a, b, out=np.full(a.shape, np.nan), where=b != 0)
    return quotient


def mean(values: Any, axis: int = -1) -> Floats:
    """Return the mean of what is not nan; nan, and no warning, where nothing is."""
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0.0).sum(axis), known.sum(axis))


def std(values: Any, axis: int = -1) -> Floats:
    """Return the sample standard deviation of what is not nan; nan for fewer than two values."""
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    off = np.where(known, values - np.expand_dims(mean(values, axis), axis), 0.0)
    return np.sqrt(ratio((off**2).sum(axis), np.maximum(known.sum(axis) - 1, 0)))
