"""Base models that reference ensembles accept, built from the reference base learners."""

from __future__ import annotations

import copy

import numpy as np

from tests.reference import cart
from tests.reference.hoeffding import HoeffdingReference
from tests.reference.naive_bayes import NaiveBayesReference


class Coded:
    """Base class of models that encode labels; `classes` is in the order of the codes."""

    def __init__(self, classes):
        self.classes = list(classes)

    def codes(self, y):
        return np.array([self.classes.index(label) for label in np.asarray(y).tolist()])

    def proba(self, X, classes):
        table = np.zeros((len(X), len(classes)))
        own = self.own_proba(X)
        for code, label in enumerate(self.classes):
            if label in classes:
                table[:, list(classes).index(label)] = own[:, code]
        return table

    def predict(self, X):
        known = sorted(self.classes)
        return np.array([known[i] for i in np.argmax(self.proba(X, known), axis=1)])


class CartModel(Coded):
    """CART tree; a leaf predicts (n_c + smoothing / K) / (n + smoothing) with its K classes."""

    def __init__(self, tree, classes, smoothing):
        super().__init__(classes)
        self.tree, self.smoothing = tree, smoothing

    def own_proba(self, X):
        counts = cart.predict_counts(self.tree, X) + self.smoothing / len(self.classes)
        return counts / counts.sum(axis=1, keepdims=True)


def cart_base(smoothing=1.0, **rules):
    """Return (train, transfer) of CART with these parameters."""

    def train(X, y, w, seed):
        model = CartModel(None, sorted(set(np.asarray(y).tolist())), smoothing)
        model.tree = cart.grow(X, model.codes(y), w, len(model.classes), **rules)
        return model

    def transfer(model, X, y, w):
        new = sorted(set(np.asarray(y).tolist()) - set(model.classes))
        adapted = CartModel(None, [*model.classes, *new], smoothing)
        codes = adapted.codes(y)
        adapted.tree = cart.transfer(model.tree, X, codes, w, len(adapted.classes), **rules)
        return adapted

    return train, transfer


class OnlineReferenceModel(Coded):
    """Reference implementation that learns row by row; new classes get codes in sorted order."""

    def __init__(self, reference):
        super().__init__([])
        self.reference = reference

    def own_proba(self, X):
        return np.array([self.reference.scores(x) for x in X])


def online_base(start):
    """Return (train, update) of the online reference implementation ``start(n_features)``."""

    def update(model, X, y, w):
        model = copy.deepcopy(model)
        new = sorted(set(np.asarray(y).tolist()) - set(model.classes))
        model.classes.extend(new)
        for x, code, weight in zip(X, model.codes(y), w):
            model.reference.learn_one(x, code, weight)
        return model

    def train(X, y, w, seed):
        return update(OnlineReferenceModel(start(np.shape(X)[1])), X, y, w)

    return train, update


def naive_bayes_base(**params):
    return online_base(lambda n_features: NaiveBayesReference(n_features, **params))


def hoeffding_base(**params):
    return online_base(lambda n_features: HoeffdingReference(n_features, **params))
