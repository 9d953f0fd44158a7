# cython: annotation_typing=False, boundscheck=True, wraparound=True
"""Declarations of the state of stored objects, and checks of states against them.

A class declares each of its attributes in `STATE`: a dict of names and fields. Sizes that fields
name must agree: in ::

    STATE = {"n": integer(0), "weight": floats("n"), "mean": floats("n", "d")}

`mean` has as many rows as `weight` has entries, and that is `n`. Conditions between attributes are
checked by a static method `check_state` of the class, which receives the state after its fields.

The checks run when a file is loaded, before compiled code receives the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from math import isfinite
from types import FunctionType
from typing import Any

import cython
import numpy as np

Sizes = dict[str, int]

# A learner with this attribute is fitted: all its attributes that end in "_" are set.
FITTED = "classes_"
LARGEST = 2**31 - 1  # the largest C int, the type of many counts in compiled code
PLAIN = frozenset([str, int, float, bool, type(None)])
DOUBLE = np.dtype(float)
LAST = float(np.finfo(float).max)  # the largest finite float
FEW = 64  # array length below which Python's min and max of a list are faster than NumPy's
RIGHT, INFINITE, TOO_LOW = 0, 1, 2
WHOLE = (int, np.integer)
REAL = (int, float, np.integer, np.floating)
SHAPE = {"n_features": "n_features", "n_classes": "n_classes"}  # attributes of models, as sizes
KINDS = {"floats": "f", "integers": "iu", "flags": "b", "labels": "biufUSO"}


class InvalidStateError(ValueError):
    """Error for a value that contradicts the declaration of its class."""


@dataclass(frozen=True)
class Field:
    """Declaration of an attribute.

    Attributes
    ----------
    check : callable
        ``check(value, sizes)`` raises `InvalidStateError` for an invalid value. It compares lengths
        with the sizes found so far, and adds new ones.
    needed : bool
        Whether the attribute is required.
    """

    check: Callable[[Any, Sizes], object]
    needed: bool = True


def an(name: str) -> str:
    """Return a name with its article.

    Examples
    --------
    >>> an("int"), an("DTELClassifier")
    ('an int', 'a DTELClassifier')
    """
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def is_stored(kind: Any) -> bool:
    """Return whether objects of a class can be saved: classes of driftlearn must have a `STATE`."""
    return hasattr(kind, "STATE") or not _is_ours(kind)


def check(kind: Any, state: Any) -> None:
    """Raise ValueError if a state cannot be that of an object of this class.

    A subclass from another package is checked for what it inherits from driftlearn. It may store
    these attributes in another form, so missing ones are accepted there.

    Examples
    --------
    >>> class Box:
    ...     STATE = {"n": integer(1), "sides": floats("n"), "corners": floats("n", 2)}
    >>> check(Box, {"n": 1, "sides": np.ones(1), "corners": np.ones((2, 2))})
    Traceback (most recent call last):
    driftlearn.io.schema.InvalidStateError: 'corners' of Box must have length 1 ('n'). Got 2.
    """
    about = _about(kind)
    if not about.is_stored:
        raise InvalidStateError(f"{kind.__name__} has no STATE and cannot be stored")
    if about.fields is None:
        return
    check_fields(kind, state, about.fields)
    # Parameters that are missing in an older file keep their defaults.
    there = [name for name in about.names if name in state]
    values = tuple([(name, type(state[name]), state[name]) for name in there])
    if values:
        # Checks of plain values are cached, since many learners share these values. Other values
        # are not cached, because the cache would keep them alive.
        plain = PLAIN.issuperset([each for _, each, _ in values])
        (_check_again if plain else _check_parameters)(kind, values)
    for check_state in about.checks:
        check_state(state)


def check_fields(kind: Any, state: Any, fields: dict[str, Field]) -> None:
    """Raise ValueError unless a state has these fields and no attribute that hides a method."""
    if not isinstance(state, dict):
        raise InvalidStateError(f"the state of {kind.__name__} must be a dict of attributes")
    about = _about(kind)
    methods = about.methods
    for name in state:
        if not isinstance(name, str):
            raise InvalidStateError(f"the state of {kind.__name__} must be a dict of attributes")
        if name in methods:
            raise InvalidStateError(f"{name!r} of {kind.__name__} is a method, not an attribute")
    sizes: Sizes = {}
    missing = object()
    fitted = FITTED in state
    for name, field in fields.items():
        value = state.get(name, missing)
        if value is not missing:
            _check_field(kind, name, field, value, sizes)
        elif field.needed and about.is_ours and (fitted or not name.endswith("_")):
            raise InvalidStateError(f"{name!r} of {kind.__name__} is missing")


def _check_parameters(kind: Any, values: tuple[tuple[str, type, Any], ...]) -> None:
    from sklearn.utils._param_validation import validate_parameter_constraints

    rules = kind._parameter_constraints
    known = {name: value for name, _, value in values if name in rules}
    try:
        validate_parameter_constraints(rules, known, kind.__name__)
    except ValueError as problem:
        raise InvalidStateError(str(problem)) from None


_check_again = lru_cache(_check_parameters)


@dataclass(frozen=True)
class About:
    """Declarations of a class, collected once."""

    is_ours: bool
    is_stored: bool
    fields: dict[str, Field] | None
    methods: frozenset[str]
    names: tuple[str, ...]  # names of the parameters
    checks: tuple[Callable[[Any], None], ...]  # check_state methods, base classes first


@cache
def _about(kind: Any) -> About:
    is_ours = _is_ours(kind)
    functions = (name for name in dir(kind) if isinstance(getattr(kind, name, None), FunctionType))
    return About(
        is_ours,
        is_stored(kind),
        _fields(kind),
        frozenset(functions),
        tuple(kind._get_param_names() if is_ours and hasattr(kind, "_get_param_names") else ()),
        tuple(each.check_state for each in kind.__mro__[::-1] if "check_state" in vars(each)),
    )


def _fields(kind: Any) -> dict[str, Field] | None:
    """Return the fields of a class: with those of its base classes, except for compiled objects."""
    if not hasattr(kind, "STATE") or hasattr(kind, "set_state"):
        return getattr(kind, "STATE", None)
    declared = [vars(each).get("STATE", {}) for each in reversed(kind.__mro__)]
    return {name: field for fields in declared for name, field in fields.items()}


def _check_field(kind: Any, name: str, field: Field, value: Any, sizes: Sizes) -> None:
    try:
        field.check(value, sizes)
    except InvalidStateError as problem:
        raise InvalidStateError(f"{name!r} of {kind.__name__} {problem}") from None
    if _is_whole(value):
        sizes[name] = int(value)


def _is_whole(value: Any) -> bool:
    return type(value) is int or isinstance(value, WHOLE)


def _is_ours(kind: Any) -> bool:
    return str(kind.__module__).startswith("driftlearn.")


def _invalid(what: str, value: Any) -> InvalidStateError:
    """Return an error that describes valid values; `_check_field` prepends the name."""
    return InvalidStateError(f"must {what}. Got {value!r:.50}.")


# Numbers and words


def _tested(test: Callable[[Any], object], what: str) -> Field:
    """Return the field of a value that passes a test; `what` describes valid values."""

    def check(value: Any, sizes: Sizes) -> None:
        if not test(value):
            raise _invalid(what, value)

    return Field(check)


def integer(least: int | None = None, most: int = LARGEST, below: str | None = None) -> Field:
    """Return the field of an int within bounds; other fields can use it as an axis length.

    `below` is the name of a size that the int must not reach.
    """
    lowest = -most - 1 if least is None else least

    def check(value: Any, sizes: Sizes) -> None:
        highest = most if below is None else min(sizes.get(below, 0) - 1, most)
        if not (_is_whole(value) and lowest <= value <= highest):
            raise _invalid(f"be an int in the range [{lowest}, {highest}]", value)

    return Field(check)


def number(
    least: float = -np.inf, most: float = np.inf, *, above: bool = False, finite: bool = True
) -> Field:
    """Return the field of a number within bounds or above the lower bound; finite by default."""
    low = "(-inf" if least == -np.inf else f"{'(' if above else '['}{least}"
    high = "inf)" if most == np.inf else f"{most}]"
    what = f"be a {'finite ' if finite else ''}number in the range {low}, {high}"

    def test(value: Any) -> bool:
        # Infinity is compared first, because isfinite raises OverflowError for huge integers.
        is_real = isinstance(value, REAL)
        if not is_real or (finite and not (abs(value) < np.inf and isfinite(value))):
            return False
        return least <= value <= most and not (above and value == least)

    return _tested(test, what)


def flag() -> Field:
    """Return the field of a bool."""
    return _tested(lambda value: isinstance(value, bool | np.bool_), "be a bool")


def word(*words: str) -> Field:
    """Return the field of one of these words, or of any string."""
    what = f"be one of {', '.join(map(repr, words))}" if words else "be a string"
    return _tested(lambda value: isinstance(value, str) and (not words or value in words), what)


# Arrays


def floats(
    *axes: str | int | None, least: float = -np.inf, finite: bool = True, missing: bool = False
) -> Field:
    """Return the field of an array of floats, finite by default and not below `least`.

    An axis that is None has any length. With `missing`, entries may be nan, but not infinite.
    """

    def check(value: Any, sizes: Sizes) -> None:
        _check_array(value, "floats", axes, sizes)
        if cython.compiled and not missing and value.dtype == DOUBLE and value.flags.c_contiguous:
            found = _scan_doubles(value.reshape(-1), least, finite)
        else:
            found = _scan(value, least, finite, missing)
        if found == INFINITE:
            raise InvalidStateError("must contain only finite numbers.")
        if found == TOO_LOW:
            raise InvalidStateError(f"must not have numbers below {least}.")

    return Field(check)


def integers(*axes: str | int, least: int | None = None, below: str | int | None = None) -> Field:
    """Return the field of an array of integers; `below` is a number or the name of a size."""

    def check(value: Any, sizes: Sizes) -> None:
        _check_array(value, "integers", axes, sizes)
        if least is not None and value.size and _extreme(value, min) < least:
            raise InvalidStateError(f"must not have numbers below {least}.")
        end = sizes[below] if isinstance(below, str) else below
        if end is not None and value.size and _extreme(value, max) >= end:
            raise InvalidStateError(f"must contain only numbers below {end}.")

    return Field(check)


def flags(*axes: str | int | None) -> Field:
    """Return the field of an array of bools."""
    return Field(lambda value, sizes: _check_array(value, "flags", axes, sizes))


def labels(axis: str | None) -> Field:
    """Return the field of class labels: one axis, strictly ascending."""

    def check(value: Any, sizes: Sizes) -> None:
        _check_array(value, "labels", (axis,), sizes)
        try:
            ascending = bool((value[:-1] < value[1:]).all())
        except TypeError:
            ascending = False
        if not ascending:
            raise _invalid("be in strictly ascending order", value)

    return Field(check)


def _check_array(value: Any, kind: str, axes: tuple[str | int | None, ...], sizes: Sizes) -> int:
    if type(value) is not np.ndarray:
        raise InvalidStateError(f"must be an array. Got {an(type(value).__name__)}.")
    if value.dtype.kind not in KINDS[kind]:
        raise InvalidStateError(f"must be an array of {kind}. Got dtype {value.dtype}.")
    if value.ndim != len(axes):
        raise InvalidStateError(f"must have {len(axes)} axes. Got {value.ndim}.")
    for axis, length in zip(axes, value.shape):
        if axis is None or axis == length:
            continue
        expected = sizes.setdefault(axis, length) if isinstance(axis, str) else axis
        if expected != length:
            raise InvalidStateError(f"must have length {expected} ({axis!r}). Got {length}.")
    return 0


def _scan_doubles(numbers: cython.double[::1], least: cython.double, finite: cython.bint) -> int:
    """Return whether any number is not finite or below `least`, in one pass."""
    x: cython.double
    is_low: cython.bint = False
    for i in range(numbers.shape[0]):
        x = numbers[i]
        if finite and not -LAST <= x <= LAST:
            return INFINITE
        if x < least:
            is_low = True
    return TOO_LOW if is_low else RIGHT


def _scan(value: np.ndarray, least: float, finite: bool, missing: bool) -> int:
    """Like `_scan_doubles`, for arrays of any dtype and arrays with missing values."""
    if finite and not (~np.isinf(value) if missing else np.isfinite(value)).all():
        return INFINITE
    return TOO_LOW if least > -np.inf and (value < least).any() else RIGHT


def _extreme(value: np.ndarray, which: Callable[..., Any]) -> Any:
    """Return the minimum or the maximum of a nonempty array of integers."""
    if value.size <= FEW:
        return which(value.ravel().tolist())
    return value.min() if which is min else value.max()


# Objects


def _check_type(value: Any, kind: type) -> int:
    if type(value) is not kind:
        raise InvalidStateError(f"must be a {kind.__name__}. Got {an(type(value).__name__)}.")
    return 0


def a(*kinds: type | str, **attributes: Any) -> Field:
    """Return the field of an instance of these classes; a name stands for a class defined later.

    The `attributes` of the instance must have these values, or equal the sizes with these names.
    The attribute ``length`` stands for the number of its entries.
    """
    known: set[type] = set()  # classes already found to be subclasses

    def check(value: Any, sizes: Sizes) -> None:
        if type(value) not in known:
            ancestors = {each.__name__ for each in type(value).__mro__} | {*type(value).__mro__}
            if ancestors.isdisjoint(kinds):
                names = " or ".join(k if isinstance(k, str) else k.__name__ for k in kinds)
                raise InvalidStateError(f"must be {an(names)}. Got {an(type(value).__name__)}.")
            known.add(type(value))
        for name, expected in attributes.items():
            found: Any = len(value) if name == "length" else getattr(value, name, None)
            if isinstance(expected, str):
                expected = sizes.setdefault(expected, found)
            if found != expected:
                raise InvalidStateError(f"must have {name}={expected}. Got {found}.")

    return Field(check)


def either(kind: type, field: Field) -> Field:
    """Return the field of an instance of a class or of a value of another field."""

    def check(value: Any, sizes: Sizes) -> None:
        if not isinstance(value, kind):
            field.check(value, sizes)

    return Field(check)


def able(*methods: str) -> Field:
    """Return the field of an object that has these methods."""

    def check(value: Any, sizes: Sizes) -> None:
        for method in methods:
            if not callable(getattr(type(value), method, None)):
                raise _invalid(f"have the method {method!r}", value)

    return Field(check)


def anything() -> Field:
    """Return the field of a value that is checked where it is used."""
    return Field(lambda value, _: None, needed=False)


def optional(field: Field, *, needed: bool = False) -> Field:
    """Return the field of a value that may be None; it may also be absent, unless it is needed."""

    def check(value: Any, sizes: Sizes) -> None:
        if value is not None:
            field.check(value, sizes)

    return Field(check, needed)


def newer(field: Field) -> Field:
    """Return the field of an attribute that files of older versions lack."""
    return Field(field.check, needed=False)


def list_of(field: Field, axis: str | None = None, kind: type = list) -> Field:
    """Return the field of a list or tuple of length `axis` whose values have the given field."""

    def check(value: Any, sizes: Sizes) -> None:
        _check_type(value, kind)
        expected = len(value) if axis is None else sizes.setdefault(axis, len(value))
        if len(value) != expected:
            raise InvalidStateError(f"must have length {expected} ({axis!r}). Got {len(value)}.")
        for item in value:
            field.check(item, sizes)

    return Field(check)


def dict_of(field: Field) -> Field:
    """Return the field of a dict from names to values of the given field."""

    def check(value: Any, sizes: Sizes) -> None:
        _check_type(value, dict)
        for name, item in value.items():
            if not isinstance(name, str):
                raise _invalid("have strings as keys", name)
            field.check(item, sizes)

    return Field(check)


def parameters(learner: Any, *newer: str) -> Field:
    """Return the field of a dict of a learner's parameters; older files may lack the `newer`."""

    def check(value: Any, sizes: Sizes) -> None:
        _check_type(value, dict)
        absent = {"estimator", "nominal_features", "class_weight", "random_state", "n_jobs", *newer}
        missing = learner._parameter_constraints.keys() - value.keys() - absent
        if missing:
            raise _invalid(f"have the keys {', '.join(sorted(missing))}", [*value])
        _check_parameters(learner, tuple((name, object, value[name]) for name in value))

    return Field(check)
