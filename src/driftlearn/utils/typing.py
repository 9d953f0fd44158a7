"""Type aliases, and scikit-learn's base classes with types.

scikit-learn has no types: for a type checker, a class derived from its `BaseEstimator` has every
attribute and accepts every parameter. Type checkers therefore see the classes below, which declare
the members in use. At run time their names are scikit-learn's classes, imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
#: Array of numbers of any dtype.
Values = npt.NDArray[Any]
#: Array of class labels: numbers or strings.
Labels = npt.NDArray[Any]
#: Features and labels of some rows.
Rows = tuple[Floats, Labels]


class Learner(Protocol):
    """Any object that learns from a stream, of this library or another one."""

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

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name."""

        def set_params(self, **params: Any) -> Self:
            """Change parameters; return self."""

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
            """Fit to rows, then transform them."""

        def set_output(self, *, transform: str | None = None) -> Self:
            """Set the container of the output of `transform`."""

else:
    Self = Any

    def __getattr__(name: str) -> Any:
        if name in ("BaseEstimator", "ClassifierMixin", "TransformerMixin"):
            return getattr(import_module("sklearn.base"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
