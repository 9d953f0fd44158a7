"""TIX (spec 12; Forman 2006): predictions of older models become features of the new model.

Decisions:

* Columns of a history model: the one-hot of its label over the classes known when M_t was trained
  (including those of this chunk); one column, the index of the label, when at most two classes are
  known. The columns follow the raw features, oldest model first.
* M_t keeps the history and the class list with which it was trained; later models do not change it.
* History: the `n_estimators` newest models trained before this chunk (None: all).
* Seeds: M_t first, then g_t. The recursive form trains no g_t: its history are the earlier M_t,
  each with its own columns. An M_t whose own history has left the window still needs those models,
  so this reference keeps all models.
* The prediction is M_t's label; scores are (1 - d) p + d / K, p its probabilities, K the classes
  known. d minimizes the weighted squared error of the scores of M_(t-1) on chunk t over 0 to 0.99,
  with the classes of chunk t known; 0 for M_1, and if all p are equal.
* `births` are the steps of creation of the history for the next chunk, `weights` are 1.
"""

from __future__ import annotations

import numpy as np

from tests.reference.common import ChunkReference, limit


def label_columns(labels, classes):
    codes = [classes.index(label) for label in np.asarray(labels).tolist()]
    if len(classes) <= 2:
        return np.array(codes, dtype=float).reshape(-1, 1)
    return np.eye(len(classes))[codes]


class Augmented:
    """A model together with the history and the classes that determine its columns."""

    def __init__(self, history, classes):
        self.history, self.classes, self.model = list(history), list(classes), None

    def columns(self, X, predicted):
        """Return raw features and labels of the history; `predicted` caches labels for X."""
        parts = [X]
        for g in self.history:
            if id(g) not in predicted:
                predicted[id(g)] = (
                    g.labels(X, predicted) if isinstance(g, Augmented) else g.predict(X)
                )
            parts.append(label_columns(predicted[id(g)], self.classes))
        return np.hstack(parts)

    def labels(self, X, predicted):
        return self.model.predict(self.columns(X, predicted))


class TIXReference(ChunkReference):
    def __init__(self, train, n_estimators=25, recursive=False, random_state=0):
        super().__init__(train, random_state)
        self.n_estimators, self.recursive = n_estimators, recursive
        self.history, self.births = [], []
        self.current = None
        self.d = 0.0

    @property
    def weights(self):
        return [1.0] * len(self.history)

    def doubt(self, X, y, w):
        """Return the d that minimizes the sum of w |(1 - d) p + d u - t|^2, a parabola in d."""
        square = linear = 0.0
        K = len(self.classes)
        for p, label, weight in zip(self.plain(X), y.tolist(), w):
            for k in range(K):
                target = 1.0 if self.classes[k] == label else 0.0
                square += weight * (1 / K - p[k]) ** 2
                linear += 2 * weight * (1 / K - p[k]) * (p[k] - target)
        return min(max(-linear / (2 * square), 0.0), 0.99) if square > 0 else 0.0

    def learn(self, X, y, w):
        if self.current is not None:
            self.d = self.doubt(X, y, w)
        self.current = Augmented(self.history, self.classes)
        self.current.model = self.train(self.current.columns(X, {}), y, w, self.seed())
        newest = self.current if self.recursive else self.train(X, y, w, self.seed())
        self.history.append(newest)
        self.births.append(self.step)
        if len(self.history) > limit(self.n_estimators):
            del self.history[0], self.births[0]

    def predict(self, X):
        return np.asarray(self.current.labels(np.asarray(X, dtype=float), {}))

    def plain(self, X):
        columns = self.current.columns(np.asarray(X, dtype=float), {})
        return self.current.model.proba(columns, self.classes)

    def scores(self, X):
        return (1 - self.d) * self.plain(X) + self.d / len(self.classes)
