"""The parameter `nominal_features`: columns with category codes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from driftlearn.base.validation import check_codes, nominal_columns


class HasNominalFeatures:
    """Mixin of learners that distinguish numeric and nominal features."""

    nominal_features: Any = None
    _constraints: ClassVar[dict[str, Any]] = {"nominal_features": ["array-like", None]}

    def _nominal(self, n_features: int) -> np.ndarray:
        """Return a boolean mask of the nominal columns."""
        return nominal_columns(self.nominal_features, n_features)

    def _check_features(self, X: np.ndarray) -> None:
        if self.nominal_features is not None:
            check_codes(X[:, self._nominal(X.shape[1])])

    def _seeing(self, columns: np.ndarray, n_features: int) -> Any:
        """Return the learner for models trained on these columns only."""
        if self.nominal_features is None:
            return self
        return clone(self).set_params(nominal_features=self._nominal(n_features)[columns])


def declare_nominal(learner: Any, columns: Any) -> Any:
    """Set the open `nominal_features` of a learner, or of the learners nested in it; return it.

    A learner with this parameter passes it on to its base learners. Values other than None stay.
    """
    last = "nominal_features"
    params = {name: value for name, value in learner.get_params().items() if name.endswith(last)}
    outer = [name.removesuffix(last) for name in params]
    for name, value in params.items():
        inside = any(name.startswith(each) and name != each + last for each in outer)
        if value is None and not inside and name.split("__")[-1] == last:
            learner.set_params(**{name: columns})
    return learner
