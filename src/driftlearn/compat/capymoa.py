"""MOA through CapyMOA, both ways: its learners among ours, and ours among its own."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cache
from typing import Any

import numpy as np

from driftlearn.compat._row_classifier import RowClassifier
from driftlearn.utils.optional import needed

__all__ = ["MOAClassifier", "to_capymoa"]


class MOAClassifier(RowClassifier):
    """A classifier of MOA as a base learner, a player of a tournament, or by itself.

    It needs CapyMOA (``pip install capymoa``) and Java, which are loaded with the first rows. A
    label that was not announced by `classes` makes it begin again. It cannot be saved, since what
    it knows is in Java.

    Parameters
    ----------
    model : str
        Its name in `capymoa.classifier`, as ``"LeveragingBagging"``, or that of the Java class
        after ``moa.classifiers.``, as ``"trees.HoeffdingTree"``.
    ensemble_size : int, optional
        Number of members, for those that take one.
    random_state : int, optional
        Seed; None is 1.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    model_ : capymoa.base.Classifier
        The learner itself.
    """

    def __init__(
        self, model: str, ensemble_size: int | None = None, random_state: int | None = None
    ):
        self.model = model
        self.ensemble_size = ensemble_size
        self.random_state = random_state

    def _begin(self, n_features: int) -> Any:
        schema = needed("capymoa.stream", "MOAClassifier").Schema.from_custom(
            features=[*(f"x{k}" for k in range(n_features)), "class"],
            target="class",
            categories={"class": [str(label) for label in self.classes_]},
            name="rows",
        )
        how = {"schema": schema, "random_seed": self.random_state or 1}
        size = self.ensemble_size
        if "." not in self.model:
            kinds = needed("capymoa.classifier")
            if not hasattr(kinds, self.model):
                raise ValueError(f"capymoa.classifier has no {self.model!r}")
            more = {} if size is None else {"ensemble_size": size}
            return getattr(kinds, self.model)(**how, **more)
        try:
            learner = needed("jpype").JClass(f"moa.classifiers.{self.model}")()
        except TypeError as error:
            raise ValueError(f"MOA has no class moa.classifiers.{self.model}") from error
        if size is not None:
            learner.getOptions().setViaCLIString(f"-s {size}")
        return needed("capymoa.base").MOAClassifier(moa_learner=learner, **how)

    def __deepcopy__(self, memo: dict[int, Any]) -> MOAClassifier:
        """Return one that knows the same and goes its own way."""
        twin = copy(self)
        if hasattr(self, "model_"):
            twin.model_ = copy(self.model_)
            twin.model_.moa_learner = self.model_.moa_learner.copy()
        return twin

    def _rows(self, X: Any) -> Iterable[Any]:
        return np.asarray(X, dtype=float)

    def _shares(self, row: Any, place: np.ndarray) -> None:
        instance = needed("capymoa.core").Instance.from_array(self.model_.schema, row)
        said = self.model_.predict_proba(instance)
        if said is not None and len(said):
            n = min(len(said), len(place))  # those of two classes speak of two before the second
            place[:n] = said[:n]

    def _teach(self, row: Any, code: int) -> None:
        instance = needed("capymoa.core").LabeledInstance
        self.model_.train(instance.from_array(self.model_.schema, row, code))


def to_capymoa(model: Any, schema: Any) -> Any:
    """Return a learner as a classifier of CapyMOA, for its evaluations and ensembles.

    Parameters
    ----------
    model : learner
        With `partial_fit`. It learns itself, not a copy, and may know something already; labels
        are the texts that the schema has for them.
    schema : capymoa.stream.Schema
        That of the stream.

    Returns
    -------
    capymoa.base.Classifier
        With the learner as its attribute ``model``.
    """
    if not hasattr(model, "partial_fit"):
        raise TypeError(f"a {type(model).__name__} has no partial_fit: it cannot learn a row")
    return _kind()(model, schema)


@cache
def _kind() -> Any:
    """Return the class, which derives from one of CapyMOA's and is made when that is needed."""
    base: Any = needed("capymoa.base", "to_capymoa").Classifier

    class CapyMOAClassifier(base):  # type: ignore[misc, valid-type, unused-ignore]
        """A learner of driftlearn that is taught and asked one instance at a time."""

        def __init__(self, model: Any, schema: Any):
            super().__init__(schema)
            self.model = model
            self.labels = np.array([str(label) for label in schema.get_label_values()])

        def __str__(self) -> str:
            return type(self.model).__name__

        def train(self, instance: Any) -> None:
            """Learn a labelled instance."""
            code = instance.y_index
            self.model.partial_fit(instance.x[None, :], self.labels[code : code + 1])

        def predict_proba(self, instance: Any) -> np.ndarray | None:
            """Return a probability for each label of the schema; None before any was learned."""
            if not self.model.__sklearn_is_fitted__():
                return None
            probas = np.zeros(len(self.labels))
            places = [self.labels.tolist().index(label) for label in self.model.classes_]
            probas[places] = self.model.predict_proba(instance.x[None, :])[0]
            return probas

    return CapyMOAClassifier
