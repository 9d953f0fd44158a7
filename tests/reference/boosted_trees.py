"""Gradient boosting with histogram trees, implemented without optimizations such as subtraction.

Decisions:

* A numeric column with at most `max_bins` distinct values has a cut between each two; otherwise the
  cuts are the percentiles (the mean of two values where a percentile falls between them, by weight
  if weights differ). A row's bin is the number of cuts below its value. A nominal column has a bin
  for each of its `max_bins` most frequent codes, ascending; other codes count as missing.
* The first scores are the log-odds of the (weighted) class frequencies; for more than two classes
  their logarithms, centered. Gradients and hessians of the log loss are rounded to float32.
* A node's value is -G / (H + l2 + 1e-15); the gain of a split is G_l^2 / (H_l + ...) + G_r^2 /
  (H_r + ...) less the same of the node (0 at the root). Each side needs `min_samples_leaf` rows and
  a hessian of 0.001. Of equal gains the first is taken: nominal columns first, low cuts first,
  missing values on the right first.
* Nominal: bins with n H_b / H >= 10, missing values among them, are sorted by G_b / (H_b + 10), the
  higher bin first on ties. The first half of them, from either end, may go left; the others go
  right.
* If a column of the training rows has no missing values, missing values go to the larger side, to
  the right on ties.
* The leaf with the largest gain is split next, until there are `max_leaf_nodes` leaves.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

SUPPORT = 10.0
LEAST_HESSIAN = 1e-3


def cuts_of(values, w, max_bins):
    """Return the cuts of a numeric column without missing values."""
    order = np.argsort(values, kind="stable")
    values, w = values[order], w[order]
    distinct = sorted(set(values.tolist()))
    if len(distinct) <= max_bins:
        return [(a + b) / 2 for a, b in pairwise(distinct)]
    shares = np.linspace(0, 100, max_bins + 1)[1:-1]
    if (w == w[0]).all():
        return sorted(set(np.percentile(values, shares, method="averaged_inverted_cdf").tolist()))
    below = np.cumsum(w)
    cuts = set()
    for share in shares:
        target = share / 100 * below[-1]
        at = min(int(np.sum(below < target)), len(values) - 1)
        between = below[at] - target <= np.finfo(float).eps
        after = values[min(at + 1, len(values) - 1)]
        cuts.add(float((values[at] + after) / 2 if between else values[at]))
    return sorted(cuts)


class Column:
    """The bins of a column; the bin of missing values is None."""

    def __init__(self, values, w, nominal, max_bins):
        present = ~np.isnan(values)
        self.nominal = nominal
        if nominal:
            codes, counts = np.unique(values[present], return_counts=True)
            frequent = sorted(zip(-counts, codes.tolist()))[:max_bins]
            self.codes = sorted(code for _, code in frequent)
        else:
            self.cuts = cuts_of(values[present], w[present], max_bins)
        self.of_training = [self.bin(x) for x in values.tolist()]
        self.has_missing = None in self.of_training

    @property
    def n_bins(self):
        return len(self.codes) if self.nominal else len(self.cuts) + 1

    def bin(self, x):
        if math.isnan(x):
            return None
        if self.nominal:
            return self.codes.index(x) if x in self.codes else None
        return sum(x > cut for cut in self.cuts)


class Node:
    def __init__(self, rows, G, H, value, depth):
        self.rows, self.G, self.H, self.value, self.depth = rows, G, H, value, depth
        self.gain, self.split = 0.0, None


def binary_gradients(raw, y):
    for score, label in zip(raw[0].tolist(), y):
        if score > -37:
            e = math.exp(-score)
            yield [(((1 - label) - label * e) / (1 + e), e / (1 + e) ** 2)]
        else:
            yield [(math.exp(score) - label, math.exp(score))]


def softmax(scores):
    e = [math.exp(score - max(scores)) for score in scores]
    return [each / sum(e) for each in e]


def gradients(raw, y):
    if len(raw) == 1:
        yield from binary_gradients(raw, y)
        return
    for scores, label in zip(raw.T.tolist(), y):
        yield [(p - (k == label), p * (1 - p)) for k, p in enumerate(softmax(scores))]


class BoostedTrees:
    """Gradient boosting with the learner's parameters; class codes 0, 1, ... all occur."""

    def __init__(
        self, max_iter=100, learning_rate=0.1, max_leaf_nodes=31, max_depth=None,
        min_samples_leaf=20, l2_regularization=0.0, max_bins=255, nominal=(),
    ):  # fmt: skip
        self.__dict__.update(locals())

    def fit(self, X, y, w=None):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
        self.n_classes = y.max() + 1
        self.columns = [
            Column(X[:, f], w, f in self.nominal, self.max_bins) for f in range(X.shape[1])
        ]
        self.order = sorted(range(X.shape[1]), key=lambda f: not self.columns[f].nominal)
        share = np.array([np.average(y == k, weights=w) for k in range(self.n_classes)])
        if self.n_classes == 2:
            self.start = np.array([math.log(share[1] / (1 - share[1]))])
        else:
            self.start = np.log(share) - np.log(share).mean()
        raw = np.repeat(self.start[:, None], len(y), axis=1)
        self.trees = []
        for _ in range(self.max_iter):
            both = np.array(list(gradients(raw, y.tolist())))
            both = (both * w[:, None, None]).astype(np.float32).astype(float)
            for k in range(len(raw)):
                self.g, self.h = both[:, k].T
                self.trees.append(self.grow(len(y)))
                for i in range(len(y)):
                    raw[k, i] += self.leaf(self.trees[-1], self.bins_of(i))
        return self

    def bins_of(self, i):
        return [column.of_training[i] for column in self.columns]

    def grow(self, n):
        rows = list(range(n))
        root = Node(rows, sum(self.g.tolist()), sum(self.h.tolist()), 0.0, 0)
        leaves = [root]
        self.search(root)
        while len(leaves) < self.max_leaf_nodes:
            best = max(leaves, key=lambda leaf: leaf.gain)
            if best.gain <= 0:
                break
            leaves.remove(best)
            leaves += self.divide(best)
        return root

    def value(self, G, H):
        return -G / (H + self.l2_regularization + 1e-15)

    def search(self, node):
        n = len(node.rows)
        depth = math.inf if self.max_depth is None else self.max_depth
        if n < 2 * self.min_samples_leaf or node.depth >= depth:
            return
        for f in self.order:
            self.totals = {}
            for i in node.rows:
                total = self.totals.setdefault(self.columns[f].of_training[i], [0, 0.0, 0.0])
                total[0] += 1
                total[1] += float(self.g[i])
                total[2] += float(self.h[i])
            (self.search_nominal if self.columns[f].nominal else self.search_numeric)(node, f)

    def consider(self, node, f, counted, side):
        """Try a set of bins on one side; `counted` lists them in the order of their sums."""
        n = G = H = 0
        for b in counted:
            n, G, H = (a + t for a, t in zip((n, G, H), self.totals.get(b, (0, 0.0, 0.0))))
        m, Q, K = len(node.rows) - n, node.G - G, node.H - H
        if min(n, m) < self.min_samples_leaf or min(H, K) < LEAST_HESSIAN:
            return
        sums = ((n, G, H), (m, Q, K)) if side == "left" else ((m, Q, K), (n, G, H))
        gain = node.G * node.value
        for _, G, H in sums:
            gain -= G * self.value(G, H)
        if gain > node.gain:
            bins = {*range(self.columns[f].n_bins), None}
            left = set(counted) if side == "left" else bins - set(counted)
            if not self.columns[f].has_missing:
                left -= {None}
                left |= {None} if sums[0][0] > sums[1][0] else set()
            node.gain, node.split = gain, (f, left, sums)

    def search_numeric(self, node, f):
        n_bins = self.columns[f].n_bins
        for cut in range(n_bins):
            if cut in self.totals:
                self.consider(node, f, list(range(cut + 1)), "left")
        if None in self.totals:
            for cut in reversed(range(n_bins - 1)):
                if cut + 1 in self.totals:
                    self.consider(node, f, list(range(n_bins - 1, cut, -1)), "right")

    def search_nominal(self, node, f):
        factor = len(node.rows) / node.H
        used = [b for b in self.totals if self.totals[b][2] * factor >= SUPPORT]
        used.sort(key=lambda b: -(math.inf if b is None else b))
        used.sort(key=lambda b: self.totals[b][1] / (self.totals[b][2] + SUPPORT))
        middle = (len(used) + 1) // 2
        if len(used) > 1:
            for k in range(1, middle + 1):
                self.consider(node, f, used[:k], "left")
            for k in range(1, middle):
                self.consider(node, f, used[::-1][:k], "left")

    def divide(self, node):
        f, left, sums = node.split
        node.feature, node.goes_left = f, left
        parts = [], []
        for i in node.rows:
            parts[self.columns[f].of_training[i] not in left].append(i)
        node.children = [
            Node(rows, G, H, self.value(G, H), node.depth + 1)
            for rows, (_, G, H) in zip(parts, sums)
        ]
        node.gain = -1.0
        for child in node.children:
            self.search(child)
        return node.children

    def leaf(self, node, bins):
        while hasattr(node, "children"):
            node = node.children[bins[node.feature] not in node.goes_left]
        return node.value * self.learning_rate

    def predict_proba(self, X):
        result = []
        for x in np.asarray(X, dtype=float).tolist():
            bins = [column.bin(value) for column, value in zip(self.columns, x)]
            scores = self.start.tolist()
            for t, tree in enumerate(self.trees):
                scores[t % len(scores)] += self.leaf(tree, bins)
            if self.n_classes == 2:
                result.append([1 - 1 / (1 + math.exp(-scores[0])), 1 / (1 + math.exp(-scores[0]))])
            else:
                result.append(softmax(scores))
        return np.array(result)
