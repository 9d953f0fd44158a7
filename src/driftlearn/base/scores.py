"""Class scores: what shape they have, and how they become probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.base._row_shares import row_shares


def fitting(model: Any, X: np.ndarray, said: Any, method: str) -> np.ndarray:
    """Return what a method of a model said of rows, if it has a row a row and a column a class."""
    shape = len(X), len(model.classes_)
    if getattr(said, "shape", None) != shape:
        raise ValueError(
            f"{method} of {type(model).__name__} must return an array of shape {shape}, a row for "
            f"each row of X and a column for each of classes_; got shape {np.shape(said)}"
        )
    return said


def shares(scores: np.ndarray) -> np.ndarray:
    """Return class scores as probabilities; where no class has any, all are as probable.

    Examples
    --------
    >>> shares(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    known, complete = row_shares(scores)
    if complete:
        return known
    if not (scores >= 0).all():
        raise ValueError("class scores must be numbers, none negative; there are others")
    return np.where((known > 0).any(axis=1, keepdims=True), known, 1.0 / scores.shape[1])
