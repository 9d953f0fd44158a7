"""What users hand over, checked: labels and row weights."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_array


def plain_labels(y: Any) -> np.ndarray:
    """Return labels as one array of numbers or of strings; anything mixed is an error.

    Examples
    --------
    >>> plain_labels(["b", "a"]).dtype.kind
    'U'
    >>> plain_labels([1, "a"])
    Traceback (most recent call last):
    ...
    ValueError: labels are of mixed type: int, str. Use either numbers or strings.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if isinstance(y, list | tuple):
        y = np.array(y, dtype=object) if any(isinstance(v, str) for v in y) else np.asarray(y)
    elif not isinstance(y, np.ndarray) and hasattr(y, "__array__"):
        y = np.asarray(y)
    if isinstance(y, np.ndarray) and y.dtype.kind == "O" and y.ndim <= 2:
        kinds = {"str" if isinstance(v, str) else type(v).__name__ for v in y.ravel()}
        if kinds == {"str"}:
            return y.astype(str)
        if "str" in kinds or any(not isinstance(v, numbers.Number) for v in y.ravel()):
            names = ", ".join(sorted(kinds))
            problem = "of mixed type" if len(kinds) > 1 else "of unknown label type"
            raise ValueError(f"labels are {problem}: {names}. Use either numbers or strings.")
        return np.array(y.tolist())
    labels: np.ndarray = y
    return labels


def same_kind(known: np.ndarray, y: np.ndarray) -> None:
    """Raise if labels were numbers so far and are strings now, or the other way round."""
    kinds = {False: "numbers", True: "strings"}
    before, now = np.asarray(known).dtype.kind in "US", np.asarray(y).dtype.kind in "US"
    if before != now:
        raise ValueError(f"labels were {kinds[before]} so far and are {kinds[now]} now")


def row_weights(sample_weight: Any, n: int) -> np.ndarray:
    """Return checked row weights: finite, none negative, not all zero."""
    if sample_weight is None:
        return np.ones(n)
    if isinstance(sample_weight, numbers.Number):
        return np.full(n, float(sample_weight))  # type: ignore[arg-type]
    w: np.ndarray = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if w.shape != (n,):
        raise ValueError(f"sample_weight has shape {w.shape}, expected ({n},)")
    if (w < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    if not w.any():
        raise ValueError("every sample weight is zero: there is no row to learn from")
    return w
