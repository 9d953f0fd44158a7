"""The one gate for what users hand over: features, labels, announced classes, row weights.

What passes is bounded, so that no sum or product of an algorithm leaves the range of floats.
"""

from __future__ import annotations

import datetime
import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import validate_data

from driftlearn.base import _gate as gate
from driftlearn.base._gate import FLOATS, INTEGERS
from driftlearn.tables.passthrough import (
    check_table,
    column_names,
    is_dict,
    is_frame,
    selects_by_name,
)

# Squared deviations times weights are added up: with these bounds a term is at most 4e250, and no
# stream is long enough for a sum to overflow. Single-precision numbers, 3e38 at most, all pass.
LARGEST_VALUE = 1e75
LIGHTEST, HEAVIEST = 1e-100, 1e100

WHOLE = "biu"  # kinds of labels that are whole numbers
EXACT = 2**53  # whole numbers beyond it have no float of their own
DATES = (
    datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64,
)  # fmt: skip
DATE_TYPES = ("date", "time", "duration", "period", "interval")  # how frames' names of them begin
LABEL_PROBLEMS = {
    "M": "labels are dates",
    "m": "labels are spans of time",
    "S": "labels are bytes",
    "V": "labels are records",
    "c": "Complex data not supported: labels are complex",
}


def checked_rows(learner: Any, X: Any, *y: Any, reset: bool = False) -> Any:
    """Return features as a C-ordered float64 array within range; with labels, both.

    This is scikit-learn's `validate_data`, and what it lets pass: dates, masked values, numbers
    too large to be squared. Where a column cannot be read as numbers the message names it, and
    where values are missing (nan) that the learner does not take.
    """
    check_table(X)
    X = _unmasked(X, "X")
    rows = learner._passthrough(X, *y, reset=reset) if hasattr(learner, "_passthrough") else None
    if rows is not None:
        return rows
    if is_dict(X):
        raise ValueError(f"X is a dict of columns: learn it with {_encoded(learner)}.")
    _refuse_names(learner, X)
    _refuse_dates(learner, X)
    try:
        with np.errstate(over="ignore"):
            checked = validate_data(
                learner, X, *y,
                reset=reset, dtype=np.float64, order="C", ensure_all_finite="allow-nan",
            )  # fmt: skip
    except (ValueError, TypeError, OverflowError) as problem:
        _name_the_column(learner, X)
        if isinstance(problem, OverflowError):
            raise ValueError(f"X holds a number that is no float: {problem}") from problem
        raise
    in_range(learner, checked[0] if y else checked, X)
    return checked


def takes_missing(learner: Any) -> bool:
    """Say whether a learner, ours or not, takes rows in which values are missing (nan).

    Others say so by their tag; a pipeline does if its steps do, up to one that may fill them.
    """
    if isinstance(learner, type):
        return False
    if hasattr(learner, "_takes_missing"):
        return bool(learner._takes_missing())
    if hasattr(learner, "__sklearn_tags__") and get_tags(learner).input_tags.allow_nan:
        return True
    steps = [step for _, step in getattr(learner, "steps", ())]
    for step in steps:
        if hasattr(step, "transformers") or type(step).__name__.endswith("Imputer"):
            return True
        if not takes_missing(step):
            return False
    return bool(steps)


def in_range(learner: Any, X: np.ndarray, given: Any) -> None:
    """Raise if a feature is missing that must not be, or its square may overflow when summed.

    `given` are the rows as they came, perhaps a frame that names the columns.
    """
    if gate.within(X, LARGEST_VALUE):
        return
    missing = np.isnan(X).any(axis=0)
    if missing.any() and not takes_missing(learner):
        name = column_names(given, X.shape[1])[missing.argmax()]
        row = np.isnan(X[:, missing.argmax()]).argmax()
        base = getattr(learner, "_base_learner", lambda: None)()
        way = "" if base is None or takes_missing(base) else f" with {type(base).__name__}"
        raise ValueError(
            f"column {name!r} of X holds NaN, a missing value, in row {row}, which "
            f"{type(learner).__name__}{way} does not take: fill or encode them first, as "
            f"{_encoded(learner)} does."
        )
    bad = np.argwhere(np.abs(X) > LARGEST_VALUE)
    if len(bad):
        row, column = bad[0]
        name = column_names(given, X.shape[1])[column]
        raise ValueError(
            f"column {name!r} of X holds {X[row, column]:g} in row {row}: features lie between "
            f"-{LARGEST_VALUE:g} and {LARGEST_VALUE:g}, because their squares are added up. "
            "Scale or clip it."
        )


def as_before(learner: Any, X: Any) -> bool:
    """Say whether rows are plain arrays of the known width, which need no conversion."""
    return (
        is_plain(learner, X)
        and X.shape[1] == learner.n_features_in_
        and not hasattr(learner, "feature_names_in_")
    )


def is_plain(learner: Any, X: Any) -> bool:
    """Say whether rows are an array that a learner can take as it is, if the width is its own.

    Then scikit-learn's validation would change nothing, and it costs more than learning a row
    does.
    """
    return (
        type(X) is np.ndarray
        and X.dtype is FLOATS
        and X.ndim == 2
        and X.flags.c_contiguous
        and X.size > 0
        and (
            gate.within(X, LARGEST_VALUE)
            or (not (np.abs(X) > LARGEST_VALUE).any() and takes_missing(learner))
        )
    )


def plain_labels(y: Any) -> np.ndarray:
    """Return labels as one array of numbers or of strings; anything else is an error.

    Examples
    --------
    >>> plain_labels(["b", "a"]).dtype.kind
    'U'
    >>> plain_labels([1, "a"])
    Traceback (most recent call last):
    ...
    ValueError: labels are of mixed type: int, str. Use either numbers or strings.
    """
    if type(y) is np.ndarray and y.dtype.kind in WHOLE:
        return y
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if isinstance(y, list | tuple) and any(isinstance(v, str) for v in y):
        y = np.array(y, dtype=object)
    labels = np.asarray(_unmasked(y, "y"))
    if labels.dtype.kind == "O" and labels.ndim <= 2:
        _refuse_missing(labels.ravel())
        kinds = {"str" if isinstance(v, str) else type(v).__name__ for v in labels.ravel()}
        if kinds == {"str"}:
            return labels.astype(str)
        if "str" in kinds or any(not isinstance(v, numbers.Number) for v in labels.ravel()):
            names = ", ".join(sorted(kinds))
            problem = "of mixed type" if len(kinds) > 1 else "of unknown label type"
            raise ValueError(f"labels are {problem}: {names}. Use either numbers or strings.")
        labels = np.array(labels.tolist())
    if labels.dtype.kind == "f":
        _refuse_missing(labels.ravel())
    if labels.dtype.kind == "T":  # NumPy's strings of any length
        return labels.astype(str)
    if labels.dtype.kind in LABEL_PROBLEMS:
        raise ValueError(f"{LABEL_PROBLEMS[labels.dtype.kind]}. Use either numbers or strings.")
    return labels


def announced(classes: Any) -> np.ndarray:
    """Return the labels of `classes`, sorted; anything but a list of labels is an error.

    Examples
    --------
    >>> announced([2, 0, 2])
    array([0, 2])
    >>> announced(3)
    Traceback (most recent call last):
    ...
    ValueError: classes must be a list of labels, got an array of shape ().
    """
    labels = plain_labels(_unmasked(classes, "classes"))
    if labels.ndim != 1 or not len(labels):
        raise ValueError(f"classes must be a list of labels, got an array of shape {labels.shape}.")
    if labels.dtype.kind not in "biufU":
        raise ValueError(f"classes must be numbers or strings, got {labels.dtype}.")
    if labels.dtype.kind == "f" and not (labels == np.floor(labels)).all():
        raise ValueError("classes must be whole numbers or strings.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("classes must be finite.")
    return np.unique(labels)


def joined(known: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the labels of both, sorted; raise if one has numbers and the other strings.

    So it is where two whole numbers would become the same float.
    """
    kinds = {False: "numbers", True: "strings"}
    before, now = known.dtype.kind == "U", labels.dtype.kind == "U"
    if before != now:
        raise ValueError(
            f"labels were {kinds[before]} so far and are {kinds[now]} now: give {kinds[before]} "
            "again, or begin with a new learner"
        )
    both = np.union1d(known, labels)
    if both.dtype.kind == "f" and any(
        part.dtype.kind in "iu" and len(part) and not -EXACT <= part.min() <= part.max() <= EXACT
        for part in (known, labels)
    ):
        raise ValueError(
            f"labels of type {known.dtype} and {labels.dtype} have no type in common that tells "
            "them apart. Use one type, or strings."
        )
    return both


def codes_among(known: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
    """Return the places of labels among sorted known ones of the same type; None if one is new.

    Examples
    --------
    >>> codes_among(np.array([3, 5]), np.array([5, 3, 5]))
    array([1, 0, 1])
    >>> codes_among(np.array([3, 5]), np.array([5, 4]))
    """
    if labels.dtype.type is not known.dtype.type:
        return None
    if labels.dtype is known.dtype is INTEGERS:
        places: np.ndarray | None = gate.places(known, labels)
        return places
    codes = np.searchsorted(known, labels)
    there = known.take(codes, mode="clip") == labels
    return codes if there.all() else None


def distinct(labels: np.ndarray) -> np.ndarray:
    """Return the labels that occur, sorted."""
    return gate.distinct(labels) if labels.dtype is INTEGERS else np.unique(labels)


def row_weights(sample_weight: Any, n: int) -> np.ndarray:
    """Return checked row weights: 0 or within range, not all zero."""
    if sample_weight is None:
        ones = np.empty(n)  # what np.ones does, in a quarter of the time for a row
        ones.fill(1.0)
        return ones
    plain = type(sample_weight) is np.ndarray and sample_weight.dtype is FLOATS
    if plain and sample_weight.shape == (n,) and _are_heavy(sample_weight):
        return np.asarray(sample_weight)
    alone = isinstance(sample_weight, numbers.Real)
    if alone and LIGHTEST <= sample_weight <= HEAVIEST:
        return np.full(n, float(sample_weight))
    try:
        w = np.full(n, float(sample_weight)) if alone else _weight_array(sample_weight)
    except OverflowError as problem:
        raise ValueError(f"sample_weight holds a number that is no float: {problem}") from problem
    if w.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {w.shape}, expected ({n},): a weight for each row, or one "
            "number for all"
        )
    if _are_heavy(w):
        return w
    if (w < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    if w.max() == 0:
        raise ValueError("every sample weight is zero: there is no row to learn from")
    bad = w[~((w == 0) | (w >= LIGHTEST) & (w <= HEAVIEST))]
    if len(bad):
        raise ValueError(
            f"sample_weight holds {bad[0]:g}: a weight is 0 or lies between {LIGHTEST:g} and "
            f"{HEAVIEST:g}, because weights are multiplied and divided by each other."
        )
    return w


def _are_heavy(w: np.ndarray) -> bool:
    """Say whether all weights are within range, and none is 0."""
    return len(w) > 0 and bool(w.min() >= LIGHTEST and w.max() <= HEAVIEST)


def _weight_array(sample_weight: Any) -> np.ndarray:
    w = np.asarray(_unmasked(sample_weight, "sample_weight"))
    if w.dtype.kind in "mM":
        raise ValueError("sample_weight holds dates or spans of time: weights are numbers.")
    checked: np.ndarray = check_array(
        w, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    return checked


def _unmasked(values: Any, name: str) -> Any:
    """Return the array inside a masked array; raise where a value of it is masked."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values. Fill them in, or leave their rows out.")
    return values.data


def _refuse_missing(labels: np.ndarray) -> None:
    """Raise where a label is missing: None, nan, or what pandas has for them."""
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    else:
        missing = np.array([_is_missing(label) for label in labels], dtype=bool)
    if missing.any():
        raise ValueError(
            f"Input y contains NaN or None: row {missing.argmax()} has no label. Leave out rows "
            "without one."
        )


def _is_missing(label: Any) -> bool:
    if isinstance(label, float | np.floating):
        return bool(np.isnan(label))
    return label is None or type(label).__name__ in ("NAType", "NaTType")


def _refuse_names(learner: Any, X: Any) -> None:
    """Raise where a base learner picks columns of a frame by name, and would get an array."""
    base = getattr(learner, "_base_learner", lambda: None)()
    if is_frame(X) and selects_by_name(base):
        name = type(learner).__name__
        raise ValueError(
            f"{name} hands rows to {type(base).__name__} as arrays, in which columns have no "
            "names: put the steps that pick columns by name around it, as make_pipeline(..., "
            f"{name}(...)) of driftlearn.preprocessing does."
        )


def _refuse_dates(learner: Any, X: Any) -> None:
    """Raise where a column is of a type of dates, which NumPy would turn into numbers."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        for name, kind in zip(X.columns, X.dtypes):
            if str(kind).lower().startswith(DATE_TYPES):
                raise _no_numbers(learner, name, "dates or spans of time")
    elif np.asarray(X).dtype.kind in "mM":
        raise _no_numbers(learner, 0, "dates or spans of time")


def _name_the_column(learner: Any, X: Any) -> None:
    """Raise an error that names the first column with a date, a text or an infinite number."""
    values = np.asarray(X)
    if values.ndim != 2 or values.dtype.kind not in "OUSf":
        return
    for name, column in zip(column_names(X, values.shape[1]), values.T):
        if values.dtype.kind == "f":
            if np.isinf(column).any():
                row = np.isinf(column).argmax()
                raise ValueError(
                    f"column {name!r} of X holds {column[row]}, infinity, in row {row}: features "
                    "are numbers. Repair it, or leave the row out."
                )
            continue
        for row, value in enumerate(column):
            if isinstance(value, DATES):
                raise _no_numbers(learner, name, f"dates or spans of time (row {row})")
            if isinstance(value, str | bytes) and not _is_number(value):
                text = value if isinstance(value, bytes) else str(value)
                raise _no_numbers(learner, name, f"text ({text!r:.50} in row {row})")


def _is_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _no_numbers(learner: Any, name: Any, what: str) -> ValueError:
    return ValueError(
        f"column {name!r} of X holds {what}: features are numbers. Turn it into numbers that mean "
        f"something to a learner, as {_encoded(learner)} does, or leave it out."
    )


def _encoded(learner: Any) -> str:
    """Return how a learner is put behind an encoder."""
    return f"make_pipeline(TableEncoder(), {type(learner).__name__}(...))"


def nominal_columns(nominal_features: Any, n_features: int) -> np.ndarray:
    """Return a mask of the columns that a parameter `nominal_features` names.

    Examples
    --------
    >>> nominal_columns([0, 2], 3)
    array([ True, False,  True])
    """
    nominal = np.zeros(n_features, dtype=bool)
    if nominal_features is not None:
        try:
            nominal[np.asarray(nominal_features)] = True
        except IndexError:
            raise ValueError(
                f"nominal_features={nominal_features} are not columns of {n_features}"
            ) from None
    return nominal
