"""Adapter for river: driftlearn learners that accept single rows as dicts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

try:
    from river.base import Classifier as Base
except ImportError:  # river's tools only need the base class for isinstance checks
    Base = object  # type: ignore[assignment, misc, unused-ignore]

__all__ = ["RiverClassifier", "to_river"]


def to_river(model: Any) -> RiverClassifier:
    """Wrap a learner in the interface of river's classifiers.

    Parameters
    ----------
    model : learner or pipeline
        Learner, fitted or not, which is trained in place.

    Returns
    -------
    RiverClassifier

    Examples
    --------
    >>> from driftlearn import HoeffdingTreeClassifier
    >>> model = to_river(HoeffdingTreeClassifier())
    >>> for x, y in [({"size": 3.0, "age": 1}, "old"), ({"age": 2, "size": 0.5}, "new")]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"age": 2, "size": 0.4})
    'new'
    >>> model.features
    ['age', 'size']
    """
    return RiverClassifier(model)


class RiverClassifier(Base):  # type: ignore[misc]
    """Classifier with river's methods, for rows as dicts by feature name.

    The features are taken from ``feature_names_in_`` of the learner, or otherwise from the first
    row, sorted by name; additional features of later rows are ignored. A pipeline that begins with
    a `TableEncoder` receives complete rows.

    Parameters
    ----------
    model : learner or pipeline
        Model with `partial_fit`.

    Attributes
    ----------
    features : list or None
        Feature names in the column order of the learner; None before the first row and for a
        pipeline.
    """

    def __init__(self, model: Any):
        if not hasattr(model, "partial_fit"):
            raise TypeError(
                f"{type(model).__name__} has no partial_fit, which row-by-row training requires"
            )
        self.model = model
        names = getattr(model, "feature_names_in_", None)
        self.features = None if names is None or self._takes_tables else list(names)

    @property
    def _takes_tables(self) -> bool:
        return hasattr(self.model, "steps")

    @property
    def _multiclass(self) -> bool:
        return True

    def clone(self, new_params: dict[str, Any] | None = None, **_: Any) -> RiverClassifier:
        """Return an untrained copy with the same parameters."""
        return RiverClassifier(clone((new_params or {}).get("model", self.model)))

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Train on a row with weight `w`."""
        if self.features is None and not self._takes_tables:
            self.features = sorted(x, key=str)
        self.model.partial_fit(self._row(x), np.array([y]), sample_weight=np.array([float(w)]))

    def predict_one(self, x: dict[Any, Any], **_: Any) -> Any:
        """Return the predicted label of a row, or None before the first training row."""
        if not self.model.__sklearn_is_fitted__():
            return None
        return self.model.predict(self._row(x)).tolist()[0]

    def predict_proba_one(self, x: dict[Any, Any], **_: Any) -> dict[Any, float]:
        """Return the probabilities by label; empty before the first training row."""
        if not self.model.__sklearn_is_fitted__():
            return {}
        probas = self.model.predict_proba(self._row(x))[0]
        return dict(zip(self.model.classes_.tolist(), probas.tolist()))

    def _row(self, x: dict[Any, Any]) -> Any:
        if self._takes_tables:
            return {name: [value] for name, value in x.items()}
        if self.features is None:
            # the learner was trained on arrays, without feature names
            self.features = sorted(x, key=str)
        absent = [name for name in self.features if name not in x]
        if absent:
            raise ValueError(
                f"the row has no feature {absent[0]!r}. Use a pipeline that begins with a "
                "TableEncoder to accept rows with missing features."
            )
        return np.array([[x[name] for name in self.features]], dtype=float)
