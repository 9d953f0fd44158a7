"""Learners of river and of MOA (through CapyMOA) as classifiers that the panel can run.

They are asked and taught row by row in their own way; what they cost more than their own loop is
the call a row, which `bench_row_protocol.py` leaves out.
"""

from importlib import import_module

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class RowClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of another library, asked and taught row by row.

    A subclass makes ``model_`` in ``_begin`` and says how it takes rows (``_rows``), is asked for
    class shares (``_shares``) and is taught (``_teach``).
    """

    def fit(self, X, y):
        """Begin anew with these rows."""
        vars(self).pop("model_", None)
        return self.partial_fit(X, y, classes=y)

    def partial_fit(self, X, y, classes=None):
        """Learn rows one after the other."""
        self._prepare(X, y, classes)
        for row, code in zip(self._rows(X), np.searchsorted(self.classes_, y).tolist()):
            self._teach(row, code)
        return self

    def test_then_train(self, X, y, classes=None, proba=False):
        """Ask about each row, then learn it; masked is what was asked before the first row."""
        first = not hasattr(self, "model_")
        self._prepare(X, y, classes)
        shares = np.zeros((len(y), len(self.classes_)))
        for i, (row, code) in enumerate(
            zip(self._rows(X), np.searchsorted(self.classes_, y).tolist())
        ):
            self._shares(row, shares[i])
            self._teach(row, code)
        said = np.ma.array(shares if proba else self.classes_[shares.argmax(axis=1)])
        if first and len(y):
            said[0] = np.ma.masked
        return said

    def predict_proba(self, X):
        """Return class shares; none of the classes where the model says nothing."""
        shares = np.zeros((len(X), len(self.classes_)))
        for row, place in zip(self._rows(X), shares):
            self._shares(row, place)
        return shares

    def predict(self, X):
        """Return the class of the largest share; the first where the model says nothing."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _prepare(self, X, y, classes):
        """Make the model when the first rows come; it must hear of all classes then."""
        if not hasattr(self, "model_"):
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.classes_ = np.unique(classes)
            self.model_ = self._begin(X.shape[1])


class RiverClassifier(RowClassifier):
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

    def _begin(self, n_features):
        kind = _at("river", self.model)
        options = {} if self.base is None else {"model": _at("river", self.base)()}
        try:
            return kind(**options, seed=self.random_state)
        except TypeError:
            return kind(**options)

    def _rows(self, X):
        return (dict(enumerate(row)) for row in np.asarray(X, dtype=float).tolist())

    def _shares(self, row, place):
        for code, share in self.model_.predict_proba_one(row).items():
            place[code] = share

    def _teach(self, row, code):
        self.model_.learn_one(row, code)


class MOAClassifier(RowClassifier):
    """A classifier of MOA.

    Parameters
    ----------
    model : str
        Its name in `capymoa.classifier`, or that of the Java class after "moa.classifiers.".
    ensemble_size : int, optional
        Number of members, for those that take one.
    random_state : int, optional
        Seed.
    """

    def __init__(self, model, ensemble_size=None, random_state=None):
        self.model = model
        self.ensemble_size = ensemble_size
        self.random_state = random_state

    def _begin(self, n_features):
        from capymoa.stream import Schema

        names = [f"x{k}" for k in range(n_features)]
        schema = Schema.from_custom(
            features=[*names, "class"],
            target="class",
            categories={"class": [str(label) for label in self.classes_]},
            name="panel",
        )
        if "." in self.model:
            return self._begin_java(schema)
        kind = _at("capymoa", f"classifier.{self.model}")
        size = {} if self.ensemble_size is None else {"ensemble_size": self.ensemble_size}
        return kind(schema=schema, random_seed=self.random_state or 1, **size)

    def _begin_java(self, schema):
        from capymoa.base import MOAClassifier as Wrapped
        from jpype import JClass

        learner = JClass(f"moa.classifiers.{self.model}")()
        if self.ensemble_size is not None:
            learner.getOptions().setViaCLIString(f"-s {self.ensemble_size}")
        return Wrapped(moa_learner=learner, schema=schema, random_seed=self.random_state or 1)

    def _rows(self, X):
        return np.asarray(X, dtype=float)

    def _shares(self, row, place):
        from capymoa.core import Instance

        said = self.model_.predict_proba(Instance.from_array(self.model_.schema, row))
        if said is not None and len(said):
            place[: len(said)] = said

    def _teach(self, row, code):
        from capymoa.core import LabeledInstance

        self.model_.train(LabeledInstance.from_array(self.model_.schema, row, code))


def _at(package, place):
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"{package}.{module}"), name)
