"""Online stacking, a refitted classifier and one-hot logistic regression, the slow and plain way.

Decisions:

* Rows of weight 0 are absent; a chunk without rows is no chunk. Labels are kept as they are, and
  what belongs to a class is in a dict by label.
* The class frequencies are a member like any other, the last one. They are never nan.
* A member's version is a copy of it, made after each chunk. Before the first there is one that was
  trained on nothing; it gives every class the same probability.
* The rows that are chosen of a long chunk are those of both losses; members are trained on all.
* A stacking model that was not fitted has equal weights for the members that are left.
"""

from __future__ import annotations

import copy
import inspect
import math

import numpy as np
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

LEAST = 0.001
NEVER_STORED = 7
FIT_FROM = 3
MOST_CELLS = 4000


def softmax(scores):
    """Of the scores of one row."""
    powers = [math.exp(v - max(scores)) for v in scores]
    return [v / sum(powers) for v in powers]


def class_weighted(y, w, class_weight):
    """Row weights times class weights."""
    if class_weight is None:
        return np.array(w, dtype=float)
    labels = y.tolist()
    if class_weight == "balanced":
        k = len(set(labels))
        factors = [len(labels) / (k * labels.count(c)) for c in labels]
    else:
        factors = [class_weight.get(c, 1.0) for c in labels]
    return np.array([v * factor for v, factor in zip(w, factors)])


def some_rows(y, w, most):
    """Positions of evenly spaced rows, and their weights with the total of all rows."""
    n = len(y)
    if n <= most:
        return list(range(n)), list(w)
    at = sorted(set(np.linspace(0, n - 1, most).astype(int).tolist()))
    part = sum(w[i] for i in at)
    return at, [w[i] * sum(w) / part for i in at]


class Frequencies:
    """Class frequencies of the last chunks, with one more row of each class that has occurred."""

    def __init__(self, window):
        self.window, self.chunks, self.seen = window, [], []

    def learn(self, y, w):
        self.chunks = [*self.chunks, list(zip(y.tolist(), w))][-self.window :]
        self.seen = sorted({*self.seen, *y.tolist()})

    def proba(self, classes):
        """One number for each class; the same number if there was no chunk."""
        if not self.seen:
            return [1 / len(classes)] * len(classes)
        counts = {
            c: 1.0 + sum(v for chunk in self.chunks for label, v in chunk if label == c)
            for c in self.seen
        }
        return [counts.get(c, 0.0) / sum(counts.values()) for c in classes]


class StackingReference:
    def __init__(
        self,
        candidates,
        *,
        delay=0,
        window=56,
        decays=(0.9, 0.97),
        class_weight=None,
        chunk_size=None,
    ):
        self.models = {name: clone(model) for name, model in candidates}
        self.frequencies = Frequencies(window)
        self.delay, self.window, self.decays = delay, window, decays
        self.class_weight, self.chunk_size = class_weight, chunk_size
        self.step = 0
        self.seen = []  # labels that have occurred
        self.classes = []  # and those that were announced
        self.stored = []  # (z by member and label, labels, weights)
        self.dropped = []
        self.share = dict.fromkeys(self.members(), 1 / len(self.members()))
        self.fitted = [None] * len(decays)  # ({member: weight}, {label: bias}) each
        self.versions = [self.copies()]

    def members(self):
        return [*self.models, "class frequencies"]

    def copies(self):
        """The models as they are, None while they are untrained, and the class frequencies."""
        models = copy.deepcopy(self.models) if self.step else dict.fromkeys(self.models)
        return models, copy.deepcopy(self.frequencies)

    def partial_fit(self, X, y, w=None, classes=()):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
        self.classes = sorted({*self.classes, *classes, *y.tolist()})
        for start in range(0, len(y), self.chunk_size or max(len(y), 1)):
            part = slice(start, start + (self.chunk_size or len(y)))
            self.learn(X[part], y[part], w[part])
        return self

    def log_probabilities(self, version, X):
        """A dict of members of dicts of labels: the clipped log-probability of each row."""
        models, frequencies = version
        usual = frequencies.proba(self.seen)
        z = {}
        for member in self.members():
            table = [list(usual) for _ in X]
            model = models.get(member)
            if model is not None:
                known = np.asarray(model.classes_).tolist()
                for i, p in enumerate(model.predict_proba(X).tolist()):
                    if not any(math.isnan(v) for v in p):
                        table[i] = [p[known.index(c)] if c in known else 0.0 for c in self.seen]
            z[member] = {
                c: [math.log(min(max(row[k], LEAST), 1 - LEAST)) for row in table]
                for k, c in enumerate(self.seen)
            }
        return z

    def learn(self, X, y, w):
        w = class_weighted(y, w, self.class_weight)
        self.seen = sorted({*self.seen, *y.tolist()})
        for z, labels, _ in self.stored:
            for of_member in z.values():
                for c in self.seen:
                    of_member.setdefault(c, [math.log(LEAST)] * len(labels))
        at, weights = some_rows(y, w, MOST_CELLS // len(self.seen))
        asked = self.versions[max(len(self.versions) - 1 - self.delay, 0)]
        labels = [y.tolist()[i] for i in at]
        z = self.log_probabilities(asked, X[at])
        self.update_share(z, labels, weights)
        if self.step >= NEVER_STORED:
            self.stored = [*self.stored, (z, labels, weights)][-self.window :]
        if len(self.stored) >= FIT_FROM:
            self.fitted = [self.fit(decay) for decay in self.decays]
        self.train(X, y, w)
        self.step += 1
        self.versions.append(self.copies())

    def update_share(self, z, labels, weights):
        logs = {}
        for member in self.members():
            losses = [-max(z[member][c][i], math.log(0.01)) for i, c in enumerate(labels)]
            mean = sum(v * loss for v, loss in zip(weights, losses)) / sum(weights)
            logs[member] = 0.9 * math.log(self.share[member]) - 8 * mean
        shares = softmax(list(logs.values()))
        self.share = {m: 0.98 * v + 0.02 / len(logs) for m, v in zip(logs, shares)}

    def objective(self, decay, weights, biases):
        """What a stacking model minimizes, and its gradient by member and by label."""
        members, value = self.members(), 0.0
        by_member, by_label = dict.fromkeys(members, 0.0), dict.fromkeys(self.seen, 0.0)
        for age, (z, labels, row_weights) in enumerate(reversed(self.stored)):
            w = decay**age * np.array(row_weights)
            pools = [sum(weights[m] * np.array(z[m][c]) for m in members) for c in self.seen]
            scores = np.array(pools) + np.array([[biases[c]] for c in self.seen])
            p = np.exp(scores - scores.max(axis=0))
            p /= p.sum(axis=0)
            for k, c in enumerate(self.seen):
                true = np.array([label == c for label in labels])
                value -= float(np.sum(w[true] * np.log(p[k, true])))
                error = w * (p[k] - true)
                by_label[c] += float(np.sum(error))
                for m in members:
                    by_member[m] += float(np.sum(error * np.array(z[m][c])))
        for m in members:
            value += 25 * (weights[m] - 1 / len(members)) ** 2
            by_member[m] += 50 * (weights[m] - 1 / len(members))
        for c in self.seen:
            value += 5 * biases[c] ** 2
            by_label[c] += 10 * biases[c]
        return value, by_member, by_label

    def fit(self, decay):
        members = self.members()

        def split(x):
            return dict(zip(members, x)), dict(zip(self.seen, x[len(members) :]))

        def function(x):
            value, by_member, by_label = self.objective(decay, *split(x))
            return value, np.array([*by_member.values(), *by_label.values()])

        start = [1 / len(members)] * len(members) + [0.0] * len(self.seen)
        options = {"maxiter": 1000, "ftol": 1e-15, "gtol": 1e-8}
        found = minimize(function, start, jac=True, method="L-BFGS-B", options=options)
        weights, biases = split(found.x.tolist())
        return weights, biases

    def train(self, X, y, w):
        for name, model in list(self.models.items()):
            takes = inspect.signature(model.partial_fit).parameters
            more = {"classes": self.classes} if "classes" in takes else {}
            if "sample_weight" in takes:
                more["sample_weight"] = w
            try:
                model.partial_fit(X, y, **more)
            except Exception:
                self.drop(name)
        self.frequencies.learn(y, w)

    def drop(self, name):
        del self.models[name]
        self.dropped.append(name)
        for z, _, _ in self.stored:
            del z[name]
        for weights in (fitted[0] for fitted in self.fitted if fitted):
            del weights[name]
        del self.share[name]
        total = sum(self.share.values())
        self.share = {m: v / total for m, v in self.share.items()}

    def combination(self):
        """The mean weights by member and the mean biases by label."""
        members = self.members()
        equal = dict.fromkeys(members, 1 / len(members)), {}
        models = [fitted or equal for fitted in self.fitted] + [(self.share, {})]
        weights = {m: sum(of[m] for of, _ in models) / len(models) for m in members}
        biases = {c: sum(by.get(c, 0.0) for _, by in models) / len(models) for c in self.seen}
        return weights, biases

    def predict_proba(self, X):
        """A list for each row with a probability for each of `classes`."""
        X = np.asarray(X, dtype=float)
        z = self.log_probabilities(self.versions[-1], X)
        weights, biases = self.combination()
        table = []
        for i in range(len(X)):
            scores = [sum(weights[m] * z[m][c][i] for m in weights) + biases[c] for c in self.seen]
            p = dict(zip(self.seen, softmax(scores)))
            row = [p.get(c, LEAST) for c in self.classes]
            table.append([v / sum(row) for v in row])
        return table


class RefitReference:
    """A classifier trained anew on the stored chunks and the newest one."""

    def __init__(self, estimator, n_chunks=None, every=None, growth=None, max_rows=None):
        self.estimator = estimator
        self.n_chunks, self.max_rows = n_chunks or math.inf, max_rows or math.inf
        self.every, self.growth = every or math.inf, growth or math.inf
        self.step, self.last, self.model = 0, 0, None
        self.stored = []
        self.trained_at = []

    def partial_fit(self, X, y, w=None):
        w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
        X, y, w = np.asarray(X, dtype=float)[w > 0], np.asarray(y)[w > 0], w[w > 0]
        self.step += 1
        chunks = [*self.stored, (X, y, w)]
        while len(chunks) > self.n_chunks:
            chunks.pop(0)
        while len(chunks) > 1 and sum(len(labels) for _, labels, _ in chunks) > self.max_rows:
            chunks.pop(0)
        if self.model is None or self.step >= min(self.last + self.every, self.last * self.growth):
            parts = [np.concatenate([chunk[k] for chunk in chunks]) for k in range(3)]
            self.model = clone(self.estimator).fit(parts[0], parts[1], sample_weight=parts[2])
            self.last = self.step
            self.trained_at.append(self.step)
        self.stored = chunks[1:] if len(chunks) == self.n_chunks else chunks
        return self


class OneHotLogisticReference:
    """Logistic regression on standard units and one-hot columns.

    Values in other columns than those of `nominal` are in standard units of the weighted rows; gaps
    and columns that do not vary are 0. A gap in a nominal column is like a rare value. Of equally
    frequent values the smaller ones have columns of their own.
    """

    def __init__(self, C=1.0, min_frequency=10, max_categories=60, nominal=()):
        self.C, self.min_frequency, self.max_categories = C, min_frequency, max_categories
        self.nominal = nominal

    def fit(self, X, y, w=None):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
        self.classes = sorted(set(y.tolist()))
        self.totals = [sum(w[y == c]) for c in self.classes]
        self.columns = [
            self.own_values(X[:, f], w) if f in self.nominal else self.moments(X[:, f], w)
            for f in range(X.shape[1])
        ]
        self.model = None
        if sum(w) >= 10 and len(self.classes) > 1:
            self.model = LogisticRegression(C=self.C, tol=1e-10, max_iter=100_000)
            self.model.fit(self.design(X), y, sample_weight=w)
        return self

    def own_values(self, column, w):
        totals = {}
        for value, weight in zip(column.tolist(), w):
            if not math.isnan(value):
                totals[value] = totals.get(value, 0.0) + weight
        frequent = [(-t, value) for value, t in totals.items() if t >= self.min_frequency]
        return sorted(value for _, value in sorted(frequent)[: self.max_categories])

    @staticmethod
    def moments(column, w):
        there = [(x, v) for x, v in zip(column.tolist(), w) if not math.isnan(x)]
        if not there:
            return 0.0, 0.0
        total = sum(v for _, v in there)
        mean = sum(v * x for x, v in there) / total
        return mean, math.sqrt(sum(v * (x - mean) ** 2 for x, v in there) / total)

    def design(self, X):
        rows = []
        for x in np.asarray(X, dtype=float).tolist():
            row = []
            for f, value in enumerate(x):
                if f in self.nominal:
                    own = self.columns[f]
                    row += [float(value == v) for v in own] + [float(value not in own)]
                else:
                    mean, deviation = self.columns[f]
                    missing = math.isnan(value) or deviation == 0
                    row.append(0.0 if missing else (value - mean) / deviation)
            rows.append(row)
        return np.array(rows)

    def predict_proba(self, X):
        if self.model is None:
            return np.array([[t / sum(self.totals) for t in self.totals]] * len(X))
        return self.model.predict_proba(self.design(X))
