"""Learners of river and of MOA (through CapyMOA) as classifiers that the panel can run.

They are asked and taught row by row in their own way; what they cost more than their own loop is
the call a row, which `bench_row_protocol.py` leaves out.
"""

from importlib import import_module

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class RiverClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of river.

    Parameters
    ----------
    model : str
        Its place in river, as "forest.ARFClassifier".
    base : str, optional
        That of the base learner it needs.
    random_state : int, optional
        Seed, for those that take one.
    """

    def __init__(self, model, base=None, random_state=None):
        self.model = model
        self.base = base
        self.random_state = random_state

    def partial_fit(self, X, y, classes=None):
        """Learn rows one after the other."""
        if not hasattr(self, "model_"):
            self.model_ = self._make()
            self.classes_ = np.unique(y if classes is None else classes)
        self.classes_ = np.union1d(self.classes_, y)
        for row, label in zip(np.asarray(X).tolist(), np.asarray(y).tolist()):
            self.model_.learn_one(dict(enumerate(row)), label)
        return self

    def predict(self, X):
        """Return a label a row; the first class where river says nothing."""
        said = (self.model_.predict_one(dict(enumerate(row))) for row in np.asarray(X).tolist())
        first = self.classes_[0]
        return np.array([first if label is None else label for label in said], self.classes_.dtype)

    def _make(self):
        kind = _at("river", self.model)
        options = {} if self.base is None else {"model": _at("river", self.base)()}
        try:
            return kind(**options, seed=self.random_state)
        except TypeError:
            return kind(**options)


class MOAClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of MOA; needs all classes at the start.

    Parameters
    ----------
    model : str
        Its name in `capymoa.classifier`.
    random_state : int, optional
        Seed.
    """

    def __init__(self, model, random_state=None):
        self.model = model
        self.random_state = random_state

    def partial_fit(self, X, y, classes=None):
        """Learn rows one after the other."""
        X = np.asarray(X, dtype=float)
        if not hasattr(self, "model_"):
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self._begin(X.shape[1], np.unique(classes))
        from capymoa.instance import LabeledInstance

        for row, code in zip(X, np.searchsorted(self.classes_, y).tolist()):
            self.model_.train(LabeledInstance.from_array(self.schema_, row, code))
        return self

    def predict(self, X):
        """Return a label a row; the first class where MOA says nothing."""
        from capymoa.instance import Instance

        X = np.asarray(X, dtype=float)
        codes = [self.model_.predict(Instance.from_array(self.schema_, row)) for row in X]
        return self.classes_[[code or 0 for code in codes]]

    def _begin(self, n_features, classes):
        from capymoa.stream import Schema

        self.classes_ = classes
        names = [f"x{k}" for k in range(n_features)]
        self.schema_ = Schema.from_custom(
            names, target_attribute_name="class", values_for_class_label=[str(c) for c in classes],
            feature_names=names, dataset_name="panel", target_type="categorical",
        )  # fmt: skip
        kind = _at("capymoa", f"classifier.{self.model}")
        self.model_ = kind(schema=self.schema_, random_seed=self.random_state or 1)


def _at(package, place):
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"{package}.{module}"), name)
