"""Type aliases, and typed stand-ins for scikit-learn classes that have no types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from typing_extensions import Self

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
#: Numbers of any dtype.
Values = npt.NDArray[Any]
#: Class labels: numbers or strings.
Labels = npt.NDArray[Any]
#: Features and labels of some rows.
Rows = tuple[Floats, Labels]


class Learner(Protocol):
    """Any object that learns from a stream, of this library or another one."""

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Update the model with more rows."""

    def predict(self, X: Any) -> Any:
        """Return a label for each row."""


class BaseEstimator:
    """Types of scikit-learn's class of this name, for type checkers only.

    scikit-learn has no types: for a type checker, a class derived from it has every attribute and
    accepts every parameter. A class derived from this one has the members below.
    """

    n_features_in_: int
    feature_names_in_: Labels

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        raise NotImplementedError

    def set_params(self, **params: Any) -> Self:
        """Change parameters; return self."""
        raise NotImplementedError

    @classmethod
    def _get_param_names(cls) -> list[str]:
        raise NotImplementedError

    def _validate_params(self) -> None: ...

    def __getstate__(self) -> dict[str, Any]:
        raise NotImplementedError

    def __setstate__(self, state: dict[str, Any]) -> None: ...

    def __sklearn_clone__(self) -> Self:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any: ...


class ClassifierMixin:
    """Types of scikit-learn's class of this name, for type checkers only."""

    classes_: Labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy on these rows."""
        raise NotImplementedError


class TransformerMixin:
    """Types of scikit-learn's class of this name, for type checkers only."""

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit to rows, then transform them."""
        raise NotImplementedError

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the container of the output of `transform`."""
        raise NotImplementedError
