"""Learning row by row that stopped: which rows of a call are learned, and which is not."""

from __future__ import annotations

from typing import Any

import numpy as np


class Stopped(Exception):
    """Learning stopped after so many of the rows handed over; the cause is why."""


def not_learned(n: int, y: Any, sample_weight: Any, problem: BaseException | None) -> RuntimeError:
    """Return the error for a row that could not be learned, after `n` that count.

    Examples
    --------
    >>> print(not_learned(1, [0, 1, 1], None, ValueError("no")))
    row 1 of this call could not be learned; the rows before it are learned. ValueError: no
    """
    weighed = np.ndim(sample_weight) > 0
    rows = np.flatnonzero(sample_weight) if weighed else np.arange(len(y))
    if n == len(rows):
        said = "all rows of this call are learned, but not what follows from them"
    else:
        said = f"row {rows[n]} of this call could not be learned; the rows before it are learned"
    return RuntimeError(f"{said}. {type(problem).__name__}: {problem}")
