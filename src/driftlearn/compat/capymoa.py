"""Adapters for CapyMOA: MOA classifiers in driftlearn, and driftlearn classifiers in CapyMOA."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftlearn.utils.arguments import BaseEstimator, ClassifierMixin, Self
from driftlearn.utils.optional import needed

__all__ = ["MOAClassifier", "to_capymoa"]


class MOAClassifier(ClassifierMixin, BaseEstimator):
    """MOA classifier, usable on its own, as a base learner or as a candidate.

    Requires CapyMOA (``pip install capymoa``) and Java, which are loaded with the first rows. MOA
    needs all classes in advance: a label that was not announced in `classes` replaces the model by
    an untrained one. The classifier cannot be saved, because its state is in Java.

    Parameters
    ----------
    model : str
        Name in `capymoa.classifier`, such as ``"LeveragingBagging"``, or name of the Java class
        after ``moa.classifiers.``, such as ``"trees.HoeffdingTree"``.
    ensemble_size : int, optional
        Number of members, for ensembles.
    random_state : int, optional
        Seed; None means 1.

    Attributes
    ----------
    classes_ : ndarray
        Labels, sorted.
    model_ : capymoa.base.Classifier
        The CapyMOA object.
    """

    model_: Any
    classes_: np.ndarray

    def __init__(
        self, model: str, ensemble_size: int | None = None, random_state: int | None = None
    ):
        self.model = model
        self.ensemble_size = ensemble_size
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit from scratch, discarding what was learned before."""
        self.__dict__.pop("model_", None)
        return self.partial_fit(X, y, classes=y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Update the model row by row; `classes` announces labels that may occur later."""
        for row, code in zip(_floats(X), self._prepared(X, y, classes)):
            self._learn_one(row, code)
        return self

    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, proba: bool = False
    ) -> np.ma.MaskedArray:
        """Predict each row, then train on it; the prediction for the first row is masked."""
        first = not hasattr(self, "model_")
        codes = self._prepared(X, y, classes)
        scores = np.zeros((len(codes), len(self.classes_)))
        for row, code, out in zip(_floats(X), codes, scores):
            self._scores_one(row, out)
            self._learn_one(row, code)
        predictions = np.ma.array(scores if proba else self.classes_[scores.argmax(axis=1)])
        if first and len(codes):
            predictions[0] = np.ma.masked
        return predictions

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return class probabilities, which are all zero if the model abstains."""
        check_is_fitted(self, "model_")
        scores = np.zeros((len(X), len(self.classes_)))
        for row, out in zip(_floats(X), scores):
            self._scores_one(row, out)
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class, or the first class if the model abstains."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _prepared(self, X: Any, y: Any, classes: Any) -> list[int]:
        """Return the codes of labels; create the model for the first rows and for new labels."""
        labels = np.unique(y if classes is None else np.concatenate([np.unique(classes), y]))
        is_new = not hasattr(self, "model_")
        if is_new or not np.isin(labels, self.classes_).all():
            self.classes_ = labels if is_new else np.union1d(self.classes_, labels)
            self.model_ = self._new_model(np.shape(X)[1])
        return list(np.searchsorted(self.classes_, y).tolist())

    def _new_model(self, n_features: int) -> Any:
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
        """Return an independent copy, with a copy of the Java object."""
        other = copy(self)
        if hasattr(self, "model_"):
            other.model_ = copy(self.model_)
            other.model_.moa_learner = self.model_.moa_learner.copy()
        return other

    def _scores_one(self, row: Any, out: np.ndarray) -> None:
        instance = needed("capymoa.core").Instance.from_array(self.model_.schema, row)
        scores = self.model_.predict_proba(instance)
        if scores is not None and len(scores):
            # Binary models return two scores even if only one class is known.
            n = min(len(scores), len(out))
            out[:n] = scores[:n]

    def _learn_one(self, row: Any, code: int) -> None:
        instance = needed("capymoa.core").LabeledInstance
        self.model_.train(instance.from_array(self.model_.schema, row, code))


def _floats(X: Any) -> np.ndarray:
    return np.asarray(X, dtype=float)


def to_capymoa(model: Any, schema: Any) -> Any:
    """Return a learner as a CapyMOA classifier, for evaluations and ensembles of CapyMOA.

    Parameters
    ----------
    model : learner
        Learner with `partial_fit`, fitted or not, which is trained in place. Its labels are the
        strings in the schema.
    schema : capymoa.stream.Schema
        Schema of the stream.

    Returns
    -------
    capymoa.base.Classifier
        Adapter with the learner as attribute ``model``.
    """
    if not hasattr(model, "partial_fit"):
        raise TypeError(
            f"{type(model).__name__} has no partial_fit, which row-by-row training requires"
        )
    return _kind()(model, schema)


@cache
def _kind() -> Any:
    """Return the adapter class, created on first use because its base class is in CapyMOA."""
    base: Any = needed("capymoa.base", "to_capymoa").Classifier

    class CapyMOAClassifier(base):  # type: ignore[misc, valid-type, unused-ignore]
        """driftlearn learner with the interface of a CapyMOA classifier."""

        def __init__(self, model: Any, schema: Any):
            super().__init__(schema)
            self.model = model
            self.labels = np.array([str(label) for label in schema.get_label_values()])

        def __str__(self) -> str:
            return type(self.model).__name__

        def train(self, instance: Any) -> None:
            """Train on a labeled instance."""
            code = instance.y_index
            self.model.partial_fit(instance.x[None, :], self.labels[code : code + 1])

        def predict_proba(self, instance: Any) -> np.ndarray | None:
            """Return the probability of each label in the schema, or None before the first row."""
            if not self.model.__sklearn_is_fitted__():
                return None
            probas = np.zeros(len(self.labels))
            places = [self.labels.tolist().index(label) for label in self.model.classes_]
            probas[places] = self.model.predict_proba(instance.x[None, :])[0]
            return probas

    return CapyMOAClassifier
