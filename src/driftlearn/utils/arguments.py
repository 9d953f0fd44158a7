"""Argument checks, with messages that contain the argument name and the value."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def _is_int(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def invalid(name: str, wanted: str, value: Any) -> ValueError:
    """Return the error for a parameter with an invalid value."""
    return ValueError(f"The {name!r} parameter must be {wanted}. Got {value!r} instead.")


def check_integer(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return an integer from `least` to `most` as int; raise ValueError for other values."""
    if not _is_int(value) or value < least or (most is not None and value > most):
        interval = f"[{least}, inf)" if most is None else f"[{least}, {most}]"
        raise ValueError(f"{name} must be an int in the range {interval}. Got {value!r}.")
    return int(value)


def check_positive(name: str, value: Any) -> int:
    """Return a positive integer as int; raise ValueError for other values."""
    return check_integer(name, value)


def check_range(name: str, value: Any, interval: str) -> float:
    """Return a number in an interval; raise ValueError for other values.

    Parameters
    ----------
    name : str
        Name of the parameter.
    value : object
        Value of the parameter.
    interval : str
        An interval in square or round brackets, for example ``"[0, inf)"``.
    """
    low, high = map(float, interval[1:-1].split(","))
    number = float(value) if isinstance(value, Real) else np.nan
    is_above = low <= number if interval[0] == "[" else low < number
    if not (is_above and (number <= high if interval[-1] == "]" else number < high)):
        raise invalid(name, f"a float in the range {interval}", value)
    return number


def check_seed(random_state: int | None) -> int:
    """Return the seed of a stream; None draws a new seed from system entropy."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if not _is_int(random_state) or random_state < 0:
        raise ValueError(
            "random_state of a stream must be an int in the range [0, inf) or None. "
            f"Got {random_state!r}."
        )
    return int(random_state)


def check_rows(name: str, rows: Sequence[int]) -> tuple[int, ...]:
    """Return stream positions as a tuple; they must be positive and ascending."""
    if not isinstance(rows, Iterable):
        raise ValueError(f"{name} must be a list of row numbers, as in ({rows},). Got {rows!r}.")
    checked = tuple(check_positive(f"every row of {name}", row) for row in rows)
    if any(a >= b for a, b in pairwise(checked)):
        raise ValueError(f"the rows of {name} must be ascending. Got {checked}.")
    return checked


def choose(what: str, value: str, options: Mapping[str, T]) -> T:
    """Return the option with this name; raise ValueError with the known names if there is none."""
    if value not in options:
        known = ", ".join(map(repr, options))
        raise ValueError(f"{what} must be one of {known}. Got {value!r}{meant(value, options)}.")
    return options[value]


def meant(value: Any, names: Iterable[Any]) -> str:
    """Return a hint with the most similar names, such as " (did you mean 'sea'?)", or ""."""
    near = difflib.get_close_matches(str(value), [str(name) for name in names], n=2)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
