"""Columns of tables, whichever library the tables come from."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.tables.frames import n_rows_of
from driftlearn.utils.arguments import meant
from driftlearn.utils.typing import Floats


def feature_columns(
    names: Sequence[Any], target: Any, drop: Sequence[Any], where: str
) -> list[Any]:
    """Give the columns that are features, after a look at the ones that were named."""
    for name in (target, *drop):
        if name not in names:
            shown = ", ".join(repr(known) for known in list(names)[:20])
            raise ValueError(f"{where} has no column {name!r}{meant(name, names)}; it has {shown}")
    features = [name for name in names if name != target and name not in drop]
    if not features:
        raise ValueError(f"{where} has no column beside {target!r} to learn from")
    return features


def frame_values(frame: Any, names: Sequence[Any], where: str, row: int = 0) -> Floats:
    """Give columns of a table, whichever library it comes from, as a float64 array."""
    X = np.empty((n_rows_of(frame), len(names)))
    for j, name in enumerate(names):
        column = frame[name]
        values = np.asarray(column)
        if values.dtype.kind == "O" and _kind(column) in "biuf":
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if values.dtype.kind not in "biuf":
            example = next((i for i, value in enumerate(values) if not _is_number(value)), 0)
            raise ValueError(
                f"{where}: column {name!r} must hold numbers, but row {row + example} has "
                f"{str(values[example])!r}; encode it, or leave it out with drop=[{name!r}]"
            )
        X[:, j] = values
    return X


def _kind(column: Any) -> str:
    """Tell the kind of numbers that a column of pandas holds, gaps or not."""
    return getattr(getattr(column, "dtype", None), "kind", "O")


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return value is None
    return True
