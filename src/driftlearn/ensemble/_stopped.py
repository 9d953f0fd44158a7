"""Errors of row-by-row training that tell which rows were trained on and which one failed."""

from typing import Any

import numpy as np


class Stopped(Exception):
    """Error raised when training stops after some rows; its cause is the error of the next row."""


def not_learned(n: int, y: Any, sample_weight: Any, error: BaseException | None) -> RuntimeError:
    """Return the error for a row on which training failed, after `n` rows of positive weight.

    Examples
    --------
    >>> print(not_learned(1, [0, 1, 1], None, ValueError("no")))
    row 1 of this call could not be learned; the rows before it are learned. ValueError: no
    """
    weighted = np.ndim(sample_weight) > 0
    rows = np.flatnonzero(sample_weight) if weighted else np.arange(len(y))
    if n == len(rows):
        state = "all rows of this call are learned, but not what follows from them"
    else:
        state = f"row {rows[n]} of this call could not be learned; the rows before it are learned"
    return RuntimeError(f"{state}. {type(error).__name__}: {error}")
