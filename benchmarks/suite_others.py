"""Learners of river and MOA (through CapyMOA) as classifiers for the benchmark suite.

They predict and learn row by row in their own way; the overhead per row compared with their own
loops is the call from Python, which `comparison.py` excludes.
"""

from importlib import import_module

import numpy as np

from driftlearn.compat.capymoa import MOAClassifier as MOAClassifier
from driftlearn.compat.capymoa import RowClassifier


class RiverClassifier(RowClassifier):
    """Classifier of river.

    Parameters
    ----------
    model : str
        Its path in river, such as "forest.ARFClassifier".
    base : str, optional
        The path of the base learner, if it needs one.
    random_state : int, optional
        Seed, for learners that have one.
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


def _at(package, place):
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"{package}.{module}"), name)
