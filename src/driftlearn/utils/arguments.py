"""Checks of arguments, with messages that name the argument and the value."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def _is_int(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_positive(name: str, value: Any) -> int:
    """Return a positive integer as int; raise ValueError for any other value."""
    if not _is_int(value) or value < 1:
        raise ValueError(f"{name} must be an int in the range [1, inf). Got {value!r}.")
    return int(value)


def check_seed(random_state: int | None) -> int:
    """Return the seed of a stream; None draws a new one from the entropy of the system."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if not _is_int(random_state) or random_state < 0:
        raise ValueError(
            "random_state of a stream must be an int in the range [0, inf) or None. "
            f"Got {random_state!r}."
        )
    return int(random_state)


def check_rows(name: str, rows: Sequence[int]) -> tuple[int, ...]:
    """Return positions in a stream as a tuple; they must ascend from 1 or more."""
    if not isinstance(rows, Iterable):
        raise ValueError(f"{name} must be a list of row numbers, as in ({rows},). Got {rows!r}.")
    checked = tuple(check_positive(f"every row of {name}", row) for row in rows)
    if any(a >= b for a, b in pairwise(checked)):
        raise ValueError(f"the rows of {name} must be ascending. Got {checked}.")
    return checked


def check_noise(noise: float) -> float:
    """Return the share of wrong labels, which must be in [0, 1)."""
    if not isinstance(noise, Real) or not 0 <= noise < 1:
        raise ValueError(f"noise must be a number in the range [0, 1). Got {noise!r}.")
    return float(noise)


def check_function(function: int, n: int) -> int:
    """Return the number of a labeling function, which must be in [1, n]."""
    if isinstance(function, bool) or function not in range(1, n + 1):
        raise ValueError(f"function must be an int in the range [1, {n}]. Got {function!r}.")
    return int(function)


def choose(what: str, value: str, options: Mapping[str, T]) -> T:
    """Return the option with this name; raise ValueError with the known names otherwise."""
    if value not in options:
        known = ", ".join(map(repr, options))
        raise ValueError(f"{what} must be one of {known}. Got {value!r}{meant(value, options)}.")
    return options[value]


def meant(value: Any, names: Iterable[Any]) -> str:
    """Return a question for the most similar names, as " (did you mean 'sea'?)", or ""."""
    near = difflib.get_close_matches(str(value), [str(name) for name in names], n=2)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
