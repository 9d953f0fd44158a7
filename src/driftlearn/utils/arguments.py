"""Argument types and checks, with errors that contain the argument name and the value.

scikit-learn has no type hints: to a type checker, a class derived from `BaseEstimator` has every
attribute and accepts every parameter. Type checkers therefore see the classes below, which declare
the members in use. At run time, these names refer to the classes of scikit-learn, which are
imported on first use.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
#: Array of numbers of any dtype.
Values = npt.NDArray[Any]
#: Array of class labels: numbers or strings.
Labels = npt.NDArray[Any]
#: Features and labels of some rows.
Rows = tuple[Floats, Labels]


class Learner(Protocol):
    """Interface of stream learners of this library and of other libraries."""

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Update the model with more rows."""

    def predict(self, X: Any) -> Any:
        """Return a label for each row."""


if TYPE_CHECKING:
    from typing_extensions import Self as Self

    class BaseEstimator:
        """Base class of estimators."""

        n_features_in_: int
        feature_names_in_: Labels
        _parameter_constraints: dict[str, list[Any]]

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name."""

        def set_params(self, **params: Any) -> Self:
            """Set parameters; return self."""

        @classmethod
        def _get_param_names(cls) -> list[str]: ...

        def _validate_params(self) -> None: ...

        def __getstate__(self) -> dict[str, Any]: ...

        def __setstate__(self, state: dict[str, Any]) -> None: ...

        def __sklearn_clone__(self) -> Self: ...

        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        """Base class of classifiers."""

        classes_: Labels

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """Return the accuracy on these rows."""

    class TransformerMixin:
        """Base class of transformers."""

        def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
            """Fit to the rows, then transform them."""

        def set_output(self, *, transform: str | None = None) -> Self:
            """Set the container of the output of `transform`."""

else:
    Self = Any

    def __getattr__(name: str) -> Any:
        if name in ("BaseEstimator", "ClassifierMixin", "TransformerMixin"):
            return getattr(import_module("sklearn.base"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _is_int(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def unwritten(owner: object, hook: str, duty: str) -> NotImplementedError:
    """Return the error for a class that does not implement a method.

    Parameters
    ----------
    owner : object
        Instance of the class.
    hook : str
        Method with its arguments.
    duty : str
        What the method does, as an infinitive.

    Examples
    --------
    >>> raise unwritten(3, "_learn(chunk)", "learn a chunk")
    Traceback (most recent call last):
    NotImplementedError: the class int must implement _learn(chunk), to learn a chunk
    """
    return NotImplementedError(f"the class {type(owner).__name__} must implement {hook}, to {duty}")


def invalid(name: str, wanted: str, value: Any) -> ValueError:
    """Return the error for a parameter with an invalid value."""
    return ValueError(f"The {name!r} parameter must be {wanted}. Got {value!r:.200} instead.")


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
