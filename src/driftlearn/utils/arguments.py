"""Checks of what a user gives, with messages that name the problem and the value."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def check_positive(name: str, value: Any) -> int:
    """Give `value` as an int if it is a positive whole number, else say what is wrong."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a positive integer; got {value!r}")
    return int(value)


def check_seed(random_state: int | None) -> int:
    """Give the seed, drawing fresh entropy once where there is none."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise ValueError(f"random_state of a stream must be an int or None; got {random_state!r}")
    if random_state < 0:
        raise ValueError(f"random_state must not be negative; got {random_state}")
    return int(random_state)


def check_rows(name: str, rows: Sequence[int]) -> tuple[int, ...]:
    """Give positions in a stream as a tuple if they ascend from 1 or more."""
    if not isinstance(rows, Iterable):
        raise ValueError(f"{name} must be a list of rows, as ({rows},); got {rows!r}")
    checked = tuple(check_positive(f"every row of {name}", row) for row in rows)
    if any(a >= b for a, b in pairwise(checked)):
        raise ValueError(f"the rows of {name} must ascend; got {checked}")
    return checked


def check_noise(noise: float) -> float:
    """Give the share of wrong labels if it is one."""
    if not isinstance(noise, Real) or not 0 <= noise < 1:
        raise ValueError(f"noise is the share of wrong labels, in [0, 1); got {noise!r}")
    return float(noise)


def check_function(function: int, n: int) -> int:
    """Give the number of a rule if it is one of 1 to `n`."""
    if isinstance(function, bool) or function not in range(1, n + 1):
        raise ValueError(f"function must be a number from 1 to {n}; got {function!r}")
    return int(function)


def choose(what: str, value: str, options: Mapping[str, T]) -> T:
    """Give the option called `value`, or say which there are."""
    if value not in options:
        known = ", ".join(map(repr, options))
        raise ValueError(f"{what} must be one of {known}; got {value!r}{meant(value, options)}")
    return options[value]


def meant(value: Any, names: Iterable[Any]) -> str:
    """Ask whether one of the names that are near to `value` was meant, if there are any."""
    near = difflib.get_close_matches(str(value), [str(name) for name in names], n=2)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
