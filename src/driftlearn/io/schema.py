# cython: annotation_typing=False, boundscheck=True, wraparound=True
"""What the state of an object that is stored consists of, and a look at one that was stored.

A class says in `STATE` what each of its attributes is: a dict of names and fields. Where fields
name sizes, these must agree: with ::

    STATE = {"n": integer(0), "weight": floats("n"), "mean": floats("n", "d")}

`mean` has as many rows as `weight` has entries, and that is `n`. What no field can say, a
static method `check_state` of the class looks at; it is given the state when the fields are right.

All this happens when a file is loaded, before compiled code sees what is in it, and never else.
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

FITTED = "classes_"  # a learner that has this has learned, and has all that ends in "_"
LARGEST = 2**31 - 1  # what fits into a C int, of which compiled code has many
PLAIN = frozenset([str, int, float, bool, type(None)])
DOUBLE = np.dtype(float)
LAST = float(np.finfo(float).max)  # finite number
FEW = 64  # numbers of an array: fewer are looked at sooner as a list
RIGHT, INFINITE, TOO_LOW = 0, 1, 2
WHOLE = (int, np.integer)
REAL = (int, float, np.integer, np.floating)
KINDS = {"floats": "f", "integers": "iu", "flags": "b", "labels": "biufUSO"}


class InvalidStateError(ValueError):
    """A value that is not what its class says of it."""


@dataclass(frozen=True)
class Field:
    """What one attribute is.

    Attributes
    ----------
    look : callable
        ``look(value, sizes)`` raises `InvalidStateError` for a wrong value; it knows the sizes so
        far and adds those that it finds.
    needed : bool
        Whether the attribute must be there.
    """

    look: Callable[[Any, Sizes], object]
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
    """Tell whether objects of a class can be in a file: ours say what their state is."""
    return hasattr(kind, "STATE") or not _is_ours(kind)


def check(kind: Any, state: Any) -> None:
    """Raise ValueError unless this can be the state of an object of this class.

    Classes that are not ours are looked at for what they inherit from ours. They may keep it in
    another way, so nothing is missed there.

    Examples
    --------
    >>> class Box:
    ...     STATE = {"n": integer(1), "sides": floats("n"), "corners": floats("n", 2)}
    >>> check(Box, {"n": 1, "sides": np.ones(1), "corners": np.ones((2, 2))})
    Traceback (most recent call last):
    driftlearn.io.schema.InvalidStateError: corners of a Box has length 2 where n is 1
    """
    about = _about(kind)
    if not about.is_stored:
        raise InvalidStateError(f"{kind.__name__} is not a class that is stored")
    if about.fields is None:
        return
    check_fields(kind, state, about.fields)
    # a parameter that a file lacks came later than the file, and has its default
    values = []
    plain = True
    for name in about.parameters:
        if name in state:
            value = state[name]
            values.append((name, type(value), value))
            plain = plain and type(value) in PLAIN
    if values:
        # many learners have the same plain values; other things are not to be kept alive
        (_check_again if plain else _check_parameters)(kind, tuple(values))
    for look in about.looks:
        look(state)


def check_fields(kind: Any, state: Any, fields: dict[str, Field]) -> None:
    """Raise ValueError unless a state has these fields, and no method among its attributes."""
    if not isinstance(state, dict):
        raise InvalidStateError(f"the state of {an(kind.__name__)} is no dict of attributes")
    about = _about(kind)
    methods = about.methods
    for name in state:
        if not isinstance(name, str):
            raise InvalidStateError(f"the state of {an(kind.__name__)} is no dict of attributes")
        if name in methods:
            raise InvalidStateError(
                f"{name} of {an(kind.__name__)} is a method, and no part of its state"
            )
    sizes: Sizes = {}
    missing = object()
    fitted = FITTED in state
    for name, field in fields.items():
        value = state.get(name, missing)
        if value is not missing:
            _look(kind, name, field, value, sizes)
        elif field.needed and about.is_ours and (fitted or not name.endswith("_")):
            raise InvalidStateError(f"{an(kind.__name__)} without {name}")


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
    """What a class says of the states of its objects, found once."""

    is_ours: bool
    is_stored: bool
    fields: dict[str, Field] | None
    methods: frozenset[str]
    parameters: tuple[str, ...]
    looks: tuple[Callable[[Any], None], ...]


@cache
def _about(kind: Any) -> About:
    is_ours = _is_ours(kind)
    known = is_ours and hasattr(kind, "_get_param_names")
    return About(
        is_ours,
        is_stored(kind),
        getattr(kind, "STATE", None),
        frozenset(
            name for name in dir(kind) if isinstance(getattr(kind, name, None), FunctionType)
        ),
        tuple(kind._get_param_names() if known else ()),
        tuple(each.check_state for each in kind.__mro__[::-1] if "check_state" in vars(each)),
    )


def _look(kind: Any, name: str, field: Field, value: Any, sizes: Sizes) -> None:
    try:
        field.look(value, sizes)
    except InvalidStateError as problem:
        raise InvalidStateError(f"{name} of {an(kind.__name__)} {problem}") from None
    if _is_whole(value):
        sizes[name] = int(value)


def _is_whole(value: Any) -> bool:
    return type(value) is int or isinstance(value, WHOLE)


def _is_ours(kind: Any) -> bool:
    return str(kind.__module__).startswith("driftlearn.")


def _be(is_so: Any, what: str) -> None:
    if not is_so:
        raise InvalidStateError(what)


# numbers and words


def integer(least: int | None = None, most: int = LARGEST) -> Field:
    """Return the field of a whole number in these bounds; others may be measured by it."""
    lowest = -most - 1 if least is None else least

    def look(value: Any, sizes: Sizes) -> None:
        if not _is_whole(value):
            raise InvalidStateError(f"is {value!r:.50}, no whole number")
        if not lowest <= value <= most:
            raise InvalidStateError(f"is {value:.20g}, not from {lowest} to {most}")

    return Field(look)


def number(
    least: float = -np.inf, most: float = np.inf, *, above: bool = False, finite: bool = True
) -> Field:
    """Return the field of a number in these bounds, or above the lower one; finite unless said."""

    def look(value: Any, sizes: Sizes) -> None:
        real = isinstance(value, REAL)
        if not real or (finite and not (abs(value) < np.inf and isfinite(value))):
            raise InvalidStateError(f"is {value!r:.50}, no {'finite ' if finite else ''}number")
        if not least <= value <= most or (above and value == least):
            bounds = f"not {'above' if above else 'from'} {least} up to {most}"
            raise InvalidStateError(f"is {value}, {bounds}")

    return Field(look)


def flag() -> Field:
    """Return the field of something that is true or false."""
    return Field(lambda value, _: _be(isinstance(value, bool | np.bool_), "is not true or false"))


def word(*words: str) -> Field:
    """Return the field of one of these words, or of any text."""

    def look(value: Any, sizes: Sizes) -> None:
        if not isinstance(value, str) or (words and value not in words):
            raise InvalidStateError(f"is {value!r:.50}, none of {words}")

    return Field(look)


# arrays


def floats(
    *axes: str | int | None, least: float = -np.inf, finite: bool = True, missing: bool = False
) -> Field:
    """Return the field of an array of numbers, finite unless said otherwise, none below `least`.

    An axis that is None has any length. With `missing` some may be nan, but none infinite.
    """

    def look(value: Any, sizes: Sizes) -> None:
        _array(value, "floats", axes, sizes)
        if cython.compiled and not missing and value.dtype == DOUBLE and value.flags.c_contiguous:
            found = _quickly(value.reshape(-1), least, finite)
        else:
            found = _generally(value, least, finite, missing)
        if found == INFINITE:
            raise InvalidStateError("has numbers that are not finite")
        if found == TOO_LOW:
            raise InvalidStateError(f"has numbers below {least}")

    return Field(look)


def integers(*axes: str | int, least: int | None = None, below: str | int | None = None) -> Field:
    """Return the field of an array of whole numbers; `below` is a number, or the name of a size."""

    def look(value: Any, sizes: Sizes) -> None:
        _array(value, "integers", axes, sizes)
        if least is not None and value.size and _lowest(value) < least:
            raise InvalidStateError(f"has numbers below {least}")
        end = sizes[below] if isinstance(below, str) else below
        if end is not None and value.size and _highest(value) >= end:
            raise InvalidStateError(f"has numbers that are not below {end}")

    return Field(look)


def flags(*axes: str | int | None) -> Field:
    """Return the field of an array of what is true or false."""
    return Field(lambda value, sizes: _array(value, "flags", axes, sizes))


def labels(axis: str | None) -> Field:
    """Return the field of class labels: one axis, ascending, none twice."""

    def look(value: Any, sizes: Sizes) -> None:
        _array(value, "labels", (axis,), sizes)
        try:
            ascending = bool((value[:-1] < value[1:]).all())
        except TypeError:
            ascending = False
        _be(ascending, "does not ascend")

    return Field(look)


def _array(value: Any, kind: str, axes: tuple[str | int | None, ...], sizes: Sizes) -> int:
    if type(value) is not np.ndarray:
        raise InvalidStateError(f"is {an(type(value).__name__)}, no array")
    if value.dtype.kind not in KINDS[kind]:
        raise InvalidStateError(f"is an array of {value.dtype}, not of {kind}")
    if value.ndim != len(axes):
        raise InvalidStateError(f"has {value.ndim} axes, not {len(axes)}")
    for axis, length in zip(axes, value.shape):
        if axis is None or axis == length:
            continue
        expected = sizes.setdefault(axis, length) if isinstance(axis, str) else axis
        if expected != length:
            raise InvalidStateError(f"has length {length} where {axis} is {expected}")
    return 0


def _quickly(numbers: cython.double[::1], least: cython.double, finite: cython.bint) -> int:
    """Tell, in one pass, whether there are numbers that are not finite, or below `least`."""
    x: cython.double
    is_low: cython.bint = False
    for i in range(numbers.shape[0]):
        x = numbers[i]
        if finite and not -LAST <= x <= LAST:
            return INFINITE
        if x < least:
            is_low = True
    return TOO_LOW if is_low else RIGHT


def _generally(value: np.ndarray, least: float, finite: bool, missing: bool) -> int:
    """Tell the same of any array; of one that may have missing values, too."""
    if finite and not (~np.isinf(value) if missing else np.isfinite(value)).all():
        return INFINITE
    return TOO_LOW if least > -np.inf and (value < least).any() else RIGHT


def _lowest(value: np.ndarray) -> Any:
    """Return the least of an array of whole numbers, which has some."""
    if value.size <= FEW:
        return min(value.ravel().tolist())
    return value.min()


def _highest(value: np.ndarray) -> Any:
    """Return the greatest of an array of whole numbers, which has some."""
    if value.size <= FEW:
        return max(value.ravel().tolist())
    return value.max()


# things


def a(*kinds: type | str) -> Field:
    """Return the field of an object of one of these classes; one defined later goes by its name."""
    known: set[type] = set()  # which were found to be of them

    def look(value: Any, sizes: Sizes) -> None:
        if type(value) in known:
            return
        ancestors = type(value).__mro__
        if not any(kind in (each, each.__name__) for kind in kinds for each in ancestors):
            names = " or ".join(kind if isinstance(kind, str) else kind.__name__ for kind in kinds)
            raise InvalidStateError(f"is {an(type(value).__name__)}, no {names}")
        known.add(type(value))

    return Field(look)


def either(kind: type, field: Field) -> Field:
    """Return the field of an object of a class, or of what another field is of."""

    def look(value: Any, sizes: Sizes) -> None:
        if not isinstance(value, kind):
            field.look(value, sizes)

    return Field(look)


def able(*methods: str) -> Field:
    """Return the field of an object that has these methods."""

    def look(value: Any, sizes: Sizes) -> None:
        for method in methods:
            if not callable(getattr(type(value), method, None)):
                raise InvalidStateError(f"cannot {method}")

    return Field(look)


def anything() -> Field:
    """Return the field of what is looked at where it is used."""
    return Field(lambda value, _: None, needed=False)


def optional(field: Field, *, needed: bool = False) -> Field:
    """Return the field of what may be None, or absent unless it is needed."""

    def look(value: Any, sizes: Sizes) -> None:
        if value is not None:
            field.look(value, sizes)

    return Field(look, needed)


def newer(field: Field) -> Field:
    """Return the field of what a file may lack that is older than it."""
    return Field(field.look, needed=False)


def list_of(field: Field, axis: str | None = None, kind: type = list) -> Field:
    """Return the field of a list, or tuple, of such things, as many as `axis` says."""

    def look(value: Any, sizes: Sizes) -> None:
        given: Any = type(value)
        if given is not kind:
            raise InvalidStateError(f"is {an(given.__name__)}, no {kind.__name__}")
        if axis is not None:
            expected = sizes.setdefault(axis, len(value))
            if len(value) != expected:
                raise InvalidStateError(f"has length {len(value)} where {axis} is {expected}")
        for item in value:
            field.look(item, sizes)

    return Field(look)


def dict_of(field: Field) -> Field:
    """Return the field of a dict of such things by their names."""

    def look(value: Any, sizes: Sizes) -> None:
        if type(value) is not dict:
            raise InvalidStateError(f"is {an(type(value).__name__)}, no dict")
        for name, item in value.items():
            _be(isinstance(name, str), "has a name that is no text")
            field.look(item, sizes)

    return Field(look)


def parameters(learner: Any, *newer: str) -> Field:
    """Return the field of a dict of a learner's parameters; files may lack those that are newer."""

    def look(value: Any, sizes: Sizes) -> None:
        _be(type(value) is dict, f"is {an(type(value).__name__)}, no dict")
        rules = learner._parameter_constraints
        untold = {"estimator", "class_weight", "random_state", "n_jobs"}
        missing = set(rules) - set(value) - untold - set(newer)
        _be(not missing, f"has no {', '.join(sorted(missing))}")
        _check_parameters(learner, tuple((name, object, value[name]) for name in value))

    return Field(look)
