"""Validation of input: features, labels, classes, sample weights and base learners.

Values are bounded so that sums and products in the algorithms do not overflow.
"""

import datetime
import numbers
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import validate_data

from driftlearn.base import _validation as compiled
from driftlearn.base._validation import FLOATS, INTEGERS
from driftlearn.tables.passthrough import (
    check_axes,
    check_table,
    column_names,
    is_dict,
    is_frame,
    selects_by_name,
)

# Learners sum squared deviations times weights. Within these bounds a term is at most 4e250, so
# sums do not overflow on streams of realistic length. All single-precision numbers (3e38) are
# accepted.
LARGEST_VALUE = 1e75
LIGHTEST, HEAVIEST = 1e-100, 1e100

MAX_CODE = 65535  # limits the memory that one misspelled nominal value can allocate
EXACT = 2**53  # larger integers cannot be represented exactly as floats
DATES = datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64
# prefixes of type names in data frames
DATE_TYPES = "date", "time", "duration", "period", "interval"
BAD_LABELS = {  # by NumPy's kind of data type
    "M": "labels are dates",
    "m": "labels are time spans",
    "S": "labels are bytes",
    "V": "labels are records",
    "c": "Complex data not supported: labels are complex",
}


def validate_rows(learner: Any, X: Any, *y: Any, reset: bool = False) -> Any:
    """Return features as a C-ordered float64 array within range; with labels, both.

    Extends scikit-learn's `validate_data`, which accepts dates, masked values and numbers too
    large to be squared. Messages name the column that is not numeric, or that has missing values
    (nan) which the learner does not accept.
    """
    check_table(X)
    X = _unmasked(X, "X")
    rows = learner._passthrough(X, *y, reset=reset) if hasattr(learner, "_passthrough") else None
    if rows is not None:
        return rows
    if is_dict(X):
        raise ValueError(f"X is a dict of columns: use {_with_encoder(learner)}.")
    _check_no_selection_by_name(learner, X)
    _check_no_dates(learner, X)
    try:
        with np.errstate(over="ignore"):
            checked = validate_data(
                learner, X, *y,
                reset=reset, dtype=np.float64, order="C", ensure_all_finite="allow-nan",
            )  # fmt: skip
    except (ValueError, TypeError, OverflowError) as problem:
        check_axes(X, *y)
        _raise_for_column(learner, X)
        if isinstance(problem, OverflowError):
            raise ValueError(
                f"X contains a number outside the range of float64: {problem}"
            ) from problem
        raise
    check_range(learner, checked[0] if y else checked, X)
    return checked


def takes_missing(learner: Any) -> bool:
    """Return whether a learner accepts rows with missing values (nan).

    External learners declare it by their tag. A pipeline accepts missing values if all steps do, up
    to a step that may impute them.
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


def check_range(learner: Any, X: np.ndarray, passed: Any) -> None:
    """Raise an error for unaccepted missing values and for values whose squares may overflow.

    `passed` holds the rows as the user passed them, possibly a frame with column names.
    """
    if compiled.within(X, LARGEST_VALUE):
        return
    missing = np.isnan(X).any(axis=0)
    if missing.any() and not takes_missing(learner):
        name = column_names(passed, X.shape[1])[missing.argmax()]
        row = np.isnan(X[:, missing.argmax()]).argmax()
        base = getattr(learner, "_base_learner", lambda: None)()
        cause = "" if base is None or takes_missing(base) else f" with {type(base).__name__}"
        raise ValueError(
            f"column {name!r} of X contains NaN (a missing value) in row {row}, which "
            f"{type(learner).__name__}{cause} does not accept. Fill or encode missing values "
            f"first, for example with {_with_encoder(learner)}."
        )
    bad = np.argwhere(np.abs(X) > LARGEST_VALUE)
    if len(bad):
        row, column = bad[0]
        name = column_names(passed, X.shape[1])[column]
        raise ValueError(
            f"column {name!r} of X contains {X[row, column]:g} in row {row}. Features must be "
            f"between -{LARGEST_VALUE:g} and {LARGEST_VALUE:g}, because their squares are summed. "
            "Scale or clip this column."
        )


def as_before(learner: Any, X: Any) -> bool:
    """Return whether rows are a plain array of the known width, which needs no conversion."""
    return (
        is_plain(learner, X)
        and X.shape[1] == learner.n_features_in_
        and not hasattr(learner, "feature_names_in_")
    )


def is_plain(learner: Any, X: Any) -> bool:
    """Return whether rows are an array that a learner can use unchanged, if its width fits.

    scikit-learn's validation would return the same array, but takes longer than training on a row.
    """
    return (
        type(X) is np.ndarray
        and X.dtype is FLOATS
        and X.ndim == 2
        and X.flags.c_contiguous
        and X.size > 0
        and (
            compiled.within(X, LARGEST_VALUE)
            or (not (np.abs(X) > LARGEST_VALUE).any() and takes_missing(learner))
        )
    )


def check_labels(y: Any) -> np.ndarray:
    """Return labels as one array of numbers or of strings; raise an error for anything else.

    Examples
    --------
    >>> check_labels(["b", "a"]).dtype.kind
    'U'
    >>> check_labels([1, "a"])
    Traceback (most recent call last):
    ...
    ValueError: labels are of mixed type: int, str. Use either numbers or strings.
    """
    if type(y) is np.ndarray and y.dtype.kind in "biu":
        return y
    if y is None:
        raise ValueError("Training requires y to be passed, but the target y is None.")
    if isinstance(y, list | tuple) and any(isinstance(v, str) for v in y):
        y = np.array(y, dtype=object)
    labels = np.asarray(_unmasked(y, "y"))
    if labels.dtype.kind == "O" and labels.ndim <= 2:
        _check_none_missing(labels.ravel())
        kinds = {"str" if isinstance(v, str) else type(v).__name__ for v in labels.ravel()}
        if kinds == {"str"}:
            return labels.astype(str)
        if "str" in kinds or any(not isinstance(v, numbers.Number) for v in labels.ravel()):
            names = ", ".join(sorted(kinds))
            problem = "of mixed type" if len(kinds) > 1 else "of unknown label type"
            raise ValueError(f"labels are {problem}: {names}. Use either numbers or strings.")
        labels = np.array(labels.tolist())
    if labels.dtype.kind == "f":
        _check_none_missing(labels.ravel())
    if labels.dtype.kind == "T":  # NumPy's strings of variable length
        return labels.astype(str)
    if labels.dtype.kind in BAD_LABELS:
        raise ValueError(f"{BAD_LABELS[labels.dtype.kind]}. Use either numbers or strings.")
    return labels


def check_classes(classes: Any) -> np.ndarray:
    """Return the labels of `classes`, sorted; raise for anything but a list of labels.

    Examples
    --------
    >>> check_classes([2, 0, 2])
    array([0, 2])
    >>> check_classes(3)
    Traceback (most recent call last):
    ...
    ValueError: classes must be a list of labels. Got an array of shape () instead.
    """
    labels = check_labels(_unmasked(classes, "classes"))
    if labels.ndim != 1 or not len(labels):
        raise ValueError(
            f"classes must be a list of labels. Got an array of shape {labels.shape} instead."
        )
    if labels.dtype.kind not in "biufU":
        raise ValueError(f"classes must be numbers or strings. Got {labels.dtype} instead.")
    if labels.dtype.kind == "f" and not (labels == np.floor(labels)).all():
        share = labels[labels != np.floor(labels)][0]
        raise ValueError(
            f"classes must be whole numbers or strings. Got {share:g}. Row weights are passed as "
            "sample_weight=."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("classes must be finite.")
    return np.unique(labels)


def union_of_labels(known: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the sorted union of two label lists.

    Raise an error if one contains numbers and the other strings, or if two integers would become
    the same float.
    """
    kinds = {False: "numbers", True: "strings"}
    before, now = known.dtype.kind == "U", labels.dtype.kind == "U"
    if before != now:
        raise ValueError(
            f"the known labels are {kinds[before]}, but these are {kinds[now]}: pass "
            f"{kinds[before]}, or start with a new learner. The labels in y and in classes must be "
            "of one type."
        )
    both = np.union1d(known, labels)
    if both.dtype.kind == "f" and any(
        part.dtype.kind in "iu" and len(part) and not -EXACT <= part.min() <= part.max() <= EXACT
        for part in (known, labels)
    ):
        raise ValueError(
            f"labels of types {known.dtype} and {labels.dtype} cannot be converted to a common "
            "type that keeps them distinct. Use one type, or strings."
        )
    return both


def encode_labels(known: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
    """Return the codes of labels, their positions in `known`; None if one of them is new.

    `known` is sorted and of the same data type, otherwise the result is None.

    Examples
    --------
    >>> encode_labels(np.array([3, 5]), np.array([5, 3, 5]))
    array([1, 0, 1])
    >>> encode_labels(np.array([3, 5]), np.array([5, 4]))
    """
    if labels.dtype.type is not known.dtype.type:
        return None
    if labels.dtype is known.dtype is INTEGERS:
        return compiled.places(known, labels)
    codes = np.searchsorted(known, labels)
    return codes if (known.take(codes, mode="clip") == labels).all() else None


def unique_labels(labels: np.ndarray) -> np.ndarray:
    """Return the labels that occur, sorted."""
    return compiled.unique_labels(labels) if labels.dtype is INTEGERS else np.unique(labels)


def check_sample_weight(sample_weight: Any, n: int) -> np.ndarray:
    """Return validated row weights: each 0 or within range, not all zero."""
    if sample_weight is None:
        ones = np.empty(n)  # same as np.ones, in a quarter of the time for a single row
        ones.fill(1.0)
        return ones
    plain = type(sample_weight) is np.ndarray and sample_weight.dtype is FLOATS
    if plain and sample_weight.shape == (n,) and _all_in_range(sample_weight):
        return np.asarray(sample_weight)
    try:
        if isinstance(sample_weight, numbers.Real):
            w = np.full(n, float(sample_weight))
        else:
            w = np.asarray(_unmasked(sample_weight, "sample_weight"))
            if w.dtype.kind in "mM":
                raise ValueError(
                    "sample_weight contains dates or time spans: weights must be numbers."
                )
            w = check_array(w, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    except OverflowError as problem:
        raise ValueError(
            f"sample_weight contains a number outside the range of float64: {problem}"
        ) from problem
    if w.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {w.shape}, expected ({n},). Pass one weight per row, or a "
            "single number for all rows."
        )
    if not n or _all_in_range(w):
        return w
    if (w < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    if w.max() == 0:
        raise ValueError("All sample weights are zero: at least one must be positive.")
    bad = w[~((w == 0) | (w >= LIGHTEST) & (w <= HEAVIEST))]
    if len(bad):
        raise ValueError(
            f"sample_weight contains {bad[0]:g}. Weights must be 0 or between {LIGHTEST:g} and "
            f"{HEAVIEST:g}, because they are multiplied and divided by each other."
        )
    return w


def _all_in_range(w: np.ndarray) -> bool:
    """Return whether all weights are within range, and none is 0."""
    return len(w) > 0 and bool(w.min() >= LIGHTEST and w.max() <= HEAVIEST)


def _unmasked(values: Any, name: str) -> Any:
    """Return the data of a masked array; raise if a value is masked."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} has masked values. Fill them, or remove the rows that contain them."
        )
    return values.data


def _check_none_missing(labels: np.ndarray) -> None:
    """Raise if a label is missing: None, nan, or pandas' NA and NaT."""
    floats = labels.dtype.kind == "f"
    missing = labels != labels if floats else np.array([*map(_is_missing, labels)])
    if missing.any():
        raise ValueError(
            f"Input y contains NaN or None: row {missing.argmax()} has no label. Remove rows "
            "without labels."
        )


def _is_missing(label: Any) -> bool:
    is_nan = isinstance(label, float | np.floating) and np.isnan(label)
    return bool(is_nan) or label is None or type(label).__name__ in ("NAType", "NaTType")


def _check_no_selection_by_name(learner: Any, X: Any) -> None:
    """Raise if a base learner that selects frame columns by name would receive an array."""
    base = getattr(learner, "_base_learner", lambda: None)()
    if is_frame(X) and selects_by_name(base):
        name = type(learner).__name__
        raise ValueError(
            f"{name} passes rows to {type(base).__name__} as arrays, whose columns have no names. "
            "Put the steps that select columns by name in front of it, with "
            f"driftlearn.preprocessing.make_pipeline(..., {name}(...))."
        )


def _check_no_dates(learner: Any, X: Any) -> None:
    """Raise if a column has a date type, which NumPy would convert to numbers."""
    if is_frame(X):
        for name, kind in zip(X.columns, X.dtypes):
            if str(kind).lower().startswith(DATE_TYPES):
                raise _not_numeric(learner, name, "dates or time spans")
    elif np.asarray(X).dtype.kind in "mM":
        raise _not_numeric(learner, 0, "dates or time spans")


def _raise_for_column(learner: Any, X: Any) -> None:
    """Raise an error that names the first column with a date, a string or an infinite number."""
    values = np.asarray(X)
    if values.ndim != 2 or values.dtype.kind not in "OUSf":
        return
    for name, column in zip(column_names(X, values.shape[1]), values.T):
        if values.dtype.kind == "f":
            if np.isinf(column).any():
                row = np.isinf(column).argmax()
                raise ValueError(
                    f"column {name!r} of X contains {column[row]} in row {row}: features must be "
                    "finite. Correct the value, or remove the row."
                )
            continue
        for row, value in enumerate(column):
            if isinstance(value, DATES):
                raise _not_numeric(learner, name, f"dates or time spans (row {row})")
            if isinstance(value, str | bytes) and not _is_number(value):
                text = value if isinstance(value, bytes) else str(value)
                raise _not_numeric(learner, name, f"text ({text!r:.50} in row {row})")


def _is_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _not_numeric(learner: Any, name: Any, what: str) -> ValueError:
    return ValueError(
        f"column {name!r} of X contains {what}, but features must be numbers. Encode the column, "
        f"for example with {_with_encoder(learner)}, or remove it."
    )


def _with_encoder(learner: Any) -> str:
    """Return Python code for a pipeline that encodes columns for a learner."""
    return f"make_pipeline(TableEncoder(), {type(learner).__name__}(...))"


def nominal_columns(nominal_features: Any, n_features: int) -> np.ndarray:
    """Return a boolean mask of the columns in a parameter `nominal_features`.

    Examples
    --------
    >>> nominal_columns([0, 2], 3)
    array([ True, False,  True])
    """
    nominal = np.zeros(n_features, dtype=bool)
    if nominal_features is not None and len(nominal_features):
        try:
            nominal[np.asarray(nominal_features)] = True
        except IndexError:
            raise ValueError(
                f"nominal_features must be column indices of X, which has {n_features} features. "
                f"Got {nominal_features} instead."
            ) from None
    return nominal


def check_codes(values: np.ndarray) -> None:
    """Raise ValueError unless all nominal values are valid codes or missing."""
    known = values[~np.isnan(values)]
    bad = known[~((known >= 0) & (known <= MAX_CODE) & (known == np.floor(known)))]
    if bad.size:
        raise ValueError(
            f"Nominal features must be integer codes in the range [0, {MAX_CODE}]. Got {bad[0]}."
        )


def check_estimators(learner: Any) -> None:
    """Raise ValueError if a parameter of an unfitted learner cannot be a base learner."""
    if hasattr(learner, "classes_"):
        return
    for name, value in learner.get_params(deep=False).items():
        check_base(f"{name} of {type(learner).__name__}", value)
        wanted = learner._parameter_constraints.get(name, ())
        methods = [each.methods for each in wanted if hasattr(each, "methods")]
        is_online = bool(methods) and all("partial_fit" in each for each in methods)
        if is_online and hasattr(value, "fit") and not hasattr(value, "partial_fit"):
            raise ValueError(
                f"{name} of {type(learner).__name__} must have partial_fit, which "
                f"{type(value).__name__} does not have: pass an incremental learner, for example "
                "GaussianNBClassifier()."
            )


def check_base(name: str, value: Any) -> None:
    """Raise ValueError if a class or a regressor was passed in place of a classifier."""
    if isinstance(value, type):
        kind = value.__name__
        raise ValueError(f"{name} is the class {kind}: pass an instance, {kind}()")
    if hasattr(value, "__sklearn_tags__") and is_regressor(value):
        kind = type(value).__name__
        classifier = kind.removesuffix("Regressor") + "Classifier()"
        hint = f", for example {classifier}" if kind.endswith("Regressor") else ""
        raise ValueError(
            f"{name} is the regressor {kind}, which predicts numbers, not classes: pass a "
            f"classifier{hint}"
        )
