"""Names for the types that signatures repeat, and what type checkers cannot learn elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from typing_extensions import Self

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
#: Numbers as a file or a user has them, of whatever kind.
Values = npt.NDArray[Any]
#: Classes in the user's language: numbers or strings.
Labels = npt.NDArray[Any]
#: Features and labels of some rows.
Rows = tuple[Floats, Labels]


class Learner(Protocol):
    """Anything that learns from a stream: a learner of this library, or somebody else's."""

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Go on learning with these rows."""

    def predict(self, X: Any) -> Any:
        """Return a label for each row."""


class BaseEstimator:
    """What scikit-learn's class of this name gives to a learner, for type checkers alone.

    scikit-learn has no types. A class that derives from it would have every attribute and take
    every parameter as far as a checker can tell; one that derives from this has what is here.
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
    """What scikit-learn's class of this name gives to a learner, for type checkers alone."""

    classes_: Labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy on these rows."""
        raise NotImplementedError


class TransformerMixin:
    """What scikit-learn's class of this name gives to a transformer, for type checkers alone."""

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit to rows, then transform them."""
        raise NotImplementedError

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose in what the outcome of `transform` comes."""
        raise NotImplementedError
