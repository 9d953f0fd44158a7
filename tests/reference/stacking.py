"""Reference implementations of online stacking, a refitted classifier and one-hot regression.

Decisions:

* Rows of weight 0 are absent; a chunk without rows is no chunk. Labels are used as they are, and
  values by class are stored in a dict with labels as keys.
* The class frequencies are a member like any other, the last one. They are never nan.
* A member's version is a copy of it, made after each chunk. Before the first chunk there is an
  untrained version, which predicts the same probability for every class.
* The rows selected from a long chunk are used for both losses; members are trained on all rows.
* A stacking model that was not fitted gives equal weights to the remaining members.
* A candidate that is untrained or fails when it predicts is like one that gives nan for every row.
* If two costs of an error are given, that of the pair of labels is used. If labels are equally
  probable, the first of them is predicted.
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
    """Return the softmax of the scores of one row."""
    powers = [math.exp(v - max(scores)) for v in scores]
    return [v / sum(powers) for v in powers]


def class_weighted(y, w, class_weight):
    """Return row weights times class weights."""
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
    """Return the positions of evenly spaced rows, and weights that sum to the total of all rows."""
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
        """Return a probability for each class; equal ones before the first chunk."""
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
        decision=None,
    ):
        self.models = {name: clone(model) for name, model in candidates}
        self.frequencies = Frequencies(window)
        self.delay, self.window, self.decays = delay, window, decays
        self.class_weight, self.chunk_size, self.decision = class_weight, chunk_size, decision
        self.waiting = []  # rows of an incomplete chunk
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
        """Return copies of the models, None while untrained, and of the class frequencies."""
        models = copy.deepcopy(self.models) if self.step else dict.fromkeys(self.models)
        return models, copy.deepcopy(self.frequencies)

    def partial_fit(self, X, y, w=None, classes=()):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
        self.classes = sorted({*self.classes, *classes, *y.tolist()})
        self.waiting += zip(X, y, w)
        size = self.chunk_size or len(self.waiting)
        while self.waiting and len(self.waiting) >= size:
            self.learn(*map(np.array, zip(*self.waiting[:size])))
            self.waiting = self.waiting[size:]
        return self

    def log_probabilities(self, version, X):
        """Return the clipped log-probabilities of the rows by member and label."""
        models, frequencies = version
        usual = frequencies.proba(self.seen)
        z = {}
        for member in self.members():
            table = [list(usual) for _ in X]
            model = models.get(member)
            for i, p in enumerate(self.predicted(model, X)):
                if not any(math.isnan(v) for v in p.values()):
                    table[i] = [p.get(c, 0.0) for c in self.seen]
            z[member] = {
                c: np.array([math.log(min(max(row[k], LEAST), 1 - LEAST)) for row in table])
                for k, c in enumerate(self.seen)
            }
        return z

    @staticmethod
    def predicted(model, X):
        """Return the model's probabilities of each row by label; [] if it cannot predict."""
        try:
            rows = model.predict_proba(X).tolist()
            return [dict(zip(np.asarray(model.classes_).tolist(), row)) for row in rows]
        except Exception:
            return []

    def learn(self, X, y, w):
        w = class_weighted(y, w, self.class_weight)
        self.seen = sorted({*self.seen, *y.tolist()})
        for z, labels, _ in self.stored:
            for of_member in z.values():
                for c in self.seen:
                    of_member.setdefault(c, np.full(len(labels), math.log(LEAST)))
        at, weights = some_rows(y, w, MOST_CELLS // len(self.seen))
        requested = self.versions[max(len(self.versions) - 1 - self.delay, 0)]
        labels = [y.tolist()[i] for i in at]
        z = self.log_probabilities(requested, X[at])
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
        """Return the loss of a stacking model and its gradient by member and by label."""
        members, value = self.members(), 0.0
        by_member, by_label = dict.fromkeys(members, 0.0), dict.fromkeys(self.seen, 0.0)
        for age, (z, labels, row_weights) in enumerate(reversed(self.stored)):
            w = decay**age * np.array(row_weights)
            pools = [sum(weights[m] * z[m][c] for m in members) for c in self.seen]
            scores = np.array(pools) + np.array([[biases[c]] for c in self.seen])
            p = np.exp(scores - scores.max(axis=0))
            p /= p.sum(axis=0)
            for k, c in enumerate(self.seen):
                true = np.array([label == c for label in labels])
                value -= float(np.sum(w[true] * np.log(p[k, true])))
                error = w * (p[k] - true)
                by_label[c] += float(np.sum(error))
                for m in members:
                    by_member[m] += float(np.sum(error * z[m][c]))
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
        """Return the mean weights by member and the mean biases by label."""
        members = self.members()
        equal = dict.fromkeys(members, 1 / len(members)), {}
        models = [fitted or equal for fitted in self.fitted] + [(self.share, {})]
        weights = {m: sum(of[m] for of, _ in models) / len(models) for m in members}
        biases = {c: sum(by.get(c, 0.0) for _, by in models) / len(models) for c in self.seen}
        return weights, biases

    def predict_proba(self, X):
        """Return a list for each row with a probability for each of `classes`."""
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

    def cost(self, true, label):
        """Return the cost of predicting `label` instead of `true`."""
        if true == label:
            return 0.0
        if isinstance(self.decision, dict):
            return self.decision.get((true, label), self.decision.get(true, 1.0))
        return 1.0

    def predict(self, X):
        usual = [LEAST] * len(self.classes)
        for c, p in zip(self.seen, self.frequencies.proba(self.seen)):
            usual[self.classes.index(c)] = p
        labels = []
        for row in self.predict_proba(X):
            if self.decision == "balanced":
                row = [p / share for p, share in zip(row, usual)]
            costs = [
                sum(p * self.cost(c, k) for c, p in zip(self.classes, row)) for k in self.classes
            ]
            labels.append(self.classes[costs.index(min(costs))])
        return labels


class RefitReference:
    """Classifier retrained on a window of chunks: the stored ones and the newest one.

    Older rows come first, the newest ones of each class with fewer than `class_rows` in the window.
    The newest chunk is always in the window, and `max_rows` does not count it. Of a newest chunk
    with more than `max_rows` rows, the last rows are stored; the others become older rows.
    """

    def __init__(
        self,
        estimator,
        n_chunks=5,
        every=1,
        growth=None,
        until=None,
        max_rows=None,
        class_rows=0,
        class_weight=None,
    ):
        self.until = math.inf if until is None else until
        self.estimator, self.class_weight = estimator, class_weight
        self.n_chunks = math.inf if n_chunks is None else n_chunks
        self.max_rows = math.inf if max_rows is None else max_rows
        self.every, self.growth = every, growth or math.inf
        self.class_rows = class_rows
        self.step, self.last, self.model = 0, 0, None
        self.stored, self.older = [], []  # chunks: lists of rows (x, y, w); rows before them

    def partial_fit(self, X, y, w=None):
        w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
        X, y, w = np.asarray(X, dtype=float)[w > 0], np.asarray(y)[w > 0], w[w > 0]
        self.step += 1
        if self.step > self.until:
            self.stored, self.older = [], []
            return self
        window = [*self.stored, list(zip(X, y.tolist(), class_weighted(y, w, self.class_weight)))]
        if self.model is None or self.step >= min(self.last + self.every, self.last * self.growth):
            rows = [row for chunk in window for row in chunk]
            X, y, w = zip(*self.added(rows), *rows)
            self.model = clone(self.estimator)
            self.model.fit(np.array(X), np.array(y), sample_weight=np.array(w))
            self.last = self.step
        while len(window) >= self.n_chunks or sum(map(len, window)) > self.max_rows:
            if len(window) == 1 < self.n_chunks:
                self.older.append(window[0].pop(0))
            else:
                self.older += window.pop(0)
        self.stored = window
        return self

    def added(self, rows):
        """Return the older rows, in their order, of classes that are rare in these rows."""
        lacking = {label: self.class_rows for _, label, _ in self.older}
        for _, label, _ in rows:
            lacking[label] = lacking.get(label, 0) - 1
        found = []
        for row in reversed(self.older):
            if lacking[row[1]] > 0:
                lacking[row[1]] -= 1
                found.insert(0, row)
        return found


class OneHotLogisticReference:
    """Logistic regression on standardized numeric columns and one-hot encoded nominal columns.

    Numeric columns are standardized with the weighted rows; missing values and constant columns
    are 0. In a nominal column a missing value is a category like others, the largest. On ties of
    frequency, smaller values have priority for columns of their own.
    """

    def __init__(
        self,
        C=0.3,
        max_iter=20,
        min_frequency=10,
        max_categories=60,
        nominal=(),
        class_weight=None,
    ):
        self.C, self.max_iter = C, max_iter
        self.min_frequency, self.max_categories = min_frequency, max_categories
        self.nominal, self.class_weight = nominal, class_weight

    def fit(self, X, y, w=None):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
        w = class_weighted(y, w, self.class_weight)
        self.classes = sorted(set(y.tolist()))
        self.totals = [sum(w[y == c]) for c in self.classes]
        self.columns = [
            self.own_values(X[:, f], w) if f in self.nominal else self.moments(X[:, f], w)
            for f in range(X.shape[1])
        ]
        self.model = None
        if sum(w) >= 10 and len(self.classes) > 1:
            self.model = LogisticRegression(C=self.C, max_iter=self.max_iter)
            self.model.fit(self.design(X), y, sample_weight=w)
        return self

    def own_values(self, column, w):
        totals = {}
        for value, weight in zip(map(self.code, column), w):
            totals[value] = totals.get(value, 0.0) + weight
        frequent = [(-t, value) for value, t in totals.items() if t >= self.min_frequency]
        return sorted(value for _, value in sorted(frequent)[: self.max_categories])

    @staticmethod
    def code(value):
        """Return a category of a nominal column; all missing values are the same category."""
        return math.inf if math.isnan(value) else float(value)

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
                    own, code = self.columns[f], self.code(value)
                    row += [float(code == v) for v in own] + [float(code not in own)]
                else:
                    mean, deviation = self.columns[f]
                    missing = math.isnan(value) or deviation <= 1e-9 * abs(mean)  # rounding
                    row.append(0.0 if missing else (value - mean) / deviation)
            rows.append(row)
        return np.array(rows)

    def predict_proba(self, X):
        if self.model is None:
            return np.array([[t / sum(self.totals) for t in self.totals]] * len(X))
        return self.model.predict_proba(self.design(X))
