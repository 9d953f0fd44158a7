"""CART with Gini splits and its transfer to a new chunk (spec 7), without optimizations.

Decisions that the specification leaves open:

* Rows of weight 0 are absent: they are dropped before anything else. ``min_samples_*`` count rows.
* A node's counts accumulate in row order, and the rows of a child keep the row order.
* At a candidate, the left counts are a running sum in the order of (value, row); the right counts
  are the node's counts minus the left ones. Quality is ``sum(l*l)/sum(l) + sum(r*r)/sum(r)``, every
  sum over classes in order, one division for each side; a side of weight 0 adds 0.
* threshold = (a + b) / 2; if that is not in [a, b) (rounding, overflow) it is a.
* The stopping rules are tested before the search; max_depth None or -1 means unlimited.
* If rows of a node lack a feature (nan), each of its thresholds is tried with these rows on the
  left and on the right; the last candidate is all rows that have it (left, threshold inf) against
  the others. Rows on a side count for min_samples_leaf whether they have the feature or not. The
  direction with the larger quality is kept; on ties the heavier side of the rows that have the
  feature, or left if their weights are equal.
* If every row of a node has the feature of its split, rows that lack it go to the heavier child, to
  the left on ties.
* A nominal feature divides its codes into two groups. With two classes (known to the tree) the
  codes of the node are sorted by the share of the second class, then by code, and every prefix of
  this list is tried as the left group; with any other number of classes every single code is tried,
  in order. If rows lack the feature, the last candidate is again all codes against these rows. Left
  counts are a running sum in the order of (position of the code, row). A code that no row of the
  node had goes where missing values go.
* Transfer keeps the direction in which old splits send rows that lack their feature.
* Transfer pads old counts with zeros if there are more classes now. With no rows it is a copy.
"""

from __future__ import annotations

import copy
import math

import numpy as np


class Node:
    """A leaf (feature -1) or an inner node; `value` holds the weighted class counts."""

    def __init__(self, value):
        self.value = value
        self.feature = -1
        self.threshold = 0.0
        self.missing_left = False
        self.groups = None  # for a nominal split: the codes on the left, the codes on the right
        self.left = None
        self.right = None

    def goes_left(self, x):
        value = float(x[self.feature])
        if self.groups is not None:
            return value in self.groups[0] or (self.missing_left and value not in self.groups[1])
        return self.missing_left if math.isnan(value) else value <= self.threshold

    def left_of(self, X):
        return np.array([self.goes_left(x) for x in X], dtype=bool)


def count(y, w, n_classes):
    value = [0.0] * n_classes
    for label, weight in zip(y, w):
        value[int(label)] += float(weight)
    return value


def add_up(numbers):
    """Return the sum from left to right (the built-in one compensates from Python 3.12 on)."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def gini_quality(value):
    """Return sum_c w_c^2 / w of one side."""
    weight = add_up(value)
    return add_up(v * v for v in value) / weight if weight > 0 else 0.0


def midpoint(a, b):
    with np.errstate(over="ignore"):
        t = float((np.float64(a) + np.float64(b)) / 2)
    return t if a <= t < b else a


def candidate_groups(column, y, w, rows, n_classes):
    """Return the left groups of a nominal split, in the order in which they are tried."""
    codes = sorted({column[i] for i in rows})
    if n_classes != 2:
        return [[code] for code in codes] + [codes]
    share = {}
    for code in codes:
        own = [i for i in rows if column[i] == code]
        share[code] = add_up(w[i] * y[i] for i in own) / add_up(w[i] for i in own)
    codes.sort(key=lambda code: share[code])
    return [codes[: k + 1] for k in range(len(codes))]


def best_groups(column, y, w, value, min_samples_leaf):
    """Return (quality, groups, missing_left) of the first best nominal split, or None."""
    m, best = len(y), None
    lacking = [i for i in range(m) if math.isnan(column[i])]
    rows = sorted(set(range(m)) - set(lacking))
    missing = count(y[lacking], w[lacking], len(value))
    for codes in candidate_groups(column, y, w, rows, len(value)):
        chosen = [i for code in codes for i in rows if column[i] == code]
        left, n_left = count(y[chosen], w[chosen], len(value)), len(chosen)
        others = {column[i] for i in rows} - set(codes)
        if not others and not lacking:
            continue
        qualities = {}
        for missing_left in ([True, False] if others else [False]) if lacking else [None]:
            here, n_here = left, n_left
            if missing_left:
                here, n_here = [a + b for a, b in zip(left, missing)], n_left + len(lacking)
            if min(n_here, m - n_here) >= min_samples_leaf:
                right = [total - part for total, part in zip(value, here)]
                qualities[missing_left] = gini_quality(here) + gini_quality(right)
        if qualities and (best is None or max(qualities.values()) > best[0]):
            ways = [way for way in qualities if qualities[way] == max(qualities.values())]
            if len(ways) == 2:
                rest = [n - gone - part for n, gone, part in zip(value, missing, left)]
                ways = [add_up(left) >= add_up(rest)]
            best = (max(qualities.values()), (set(codes), others), ways[0])
    return best


def best_split(X, y, w, value, min_samples_leaf, nominal=()):
    """Return (quality, feature, threshold, missing_left, groups) of the first best split, or None.

    missing_left is None if every row has the feature, groups is None if the feature is not nominal.
    """
    m, best = len(y), None
    for feature in range(X.shape[1]):
        column = [float(v) for v in X[:, feature]]
        if feature in nominal:
            found = best_groups(column, y, w, value, min_samples_leaf)
            if found is not None and (best is None or found[0] > best[0]):
                best = (found[0], feature, 0.0, found[2], found[1])
            continue
        lacking = [i for i in range(m) if math.isnan(column[i])]
        missing = count(y[lacking], w[lacking], len(value))
        order = sorted(set(range(m)) - set(lacking), key=lambda i: (column[i], i))
        left = [0.0] * len(value)
        for rows_left, i in enumerate(order, 1):
            left[int(y[i])] += float(w[i])
            if rows_left == len(order):
                threshold, ways = math.inf, [False] if lacking else []
            else:
                j = order[rows_left]
                if column[i] == column[j]:
                    continue
                threshold, ways = (
                    midpoint(column[i], column[j]),
                    [True, False] if lacking else [None],
                )
            qualities = {}
            for missing_left in ways:
                here, rows = (left, rows_left)
                if missing_left:
                    here, rows = [a + b for a, b in zip(left, missing)], rows_left + len(lacking)
                if min(rows, m - rows) >= min_samples_leaf:
                    right = [total - part for total, part in zip(value, here)]
                    qualities[missing_left] = gini_quality(here) + gini_quality(right)
            if not qualities:
                continue
            quality = max(qualities.values())
            if best is None or quality > best[0]:
                ways = [way for way, its in qualities.items() if its == quality]
                if len(ways) == 2:
                    rest = [n - gone - part for n, gone, part in zip(value, missing, left)]
                    ways = [add_up(left) >= add_up(rest)]
                best = (quality, feature, threshold, ways[0], None)
    return best


def _grow(X, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth, nominal, depth):
    node = Node(count(y, w, n_classes))
    pure = sum(v > 0 for v in node.value) <= 1
    if pure or len(y) < min_samples_split or depth == max_depth:
        return node
    best = best_split(X, y, w, node.value, min_samples_leaf, nominal)
    if best is None or not best[0] > gini_quality(node.value) * (1 + 1e-12):
        return node
    _, node.feature, node.threshold, node.missing_left, node.groups = best
    goes_left = node.left_of(X)
    rest = (n_classes, min_samples_split, min_samples_leaf, max_depth, nominal, depth + 1)
    node.left = _grow(X[goes_left], y[goes_left], w[goes_left], *rest)
    node.right = _grow(X[~goes_left], y[~goes_left], w[~goes_left], *rest)
    if node.missing_left is None:
        node.missing_left = add_up(node.left.value) >= add_up(node.right.value)
    return node


def _clean(X, y, w):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    return X[w > 0], y[w > 0], w[w > 0]


def grow(X, y, w, n_classes, min_samples_split=10, min_samples_leaf=1, max_depth=None, nominal=()):
    X, y, w = _clean(X, y, w)
    return _grow(X, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth, nominal, 0)


def transfer(
    tree, X, y, w, n_classes, min_samples_split=10, min_samples_leaf=1, max_depth=None, nominal=()
):
    """Return a copy of `tree`; leaves are relabeled and regrown with the rows that reach them."""
    X, y, w = _clean(X, y, w)

    def adapt(node, X, y, w, depth):
        node.value = node.value + [0.0] * (n_classes - len(node.value))
        if node.feature < 0:
            if len(y) == 0:
                return node
            rules = (n_classes, min_samples_split, min_samples_leaf, max_depth, nominal)
            return _grow(X, y, w, *rules, depth)
        if len(y):
            node.value = count(y, w, n_classes)
        goes_left = node.left_of(X)
        node.left = adapt(node.left, X[goes_left], y[goes_left], w[goes_left], depth + 1)
        node.right = adapt(node.right, X[~goes_left], y[~goes_left], w[~goes_left], depth + 1)
        return node

    return adapt(copy.deepcopy(tree), X, y, w, 0)


def predict_counts(tree, X):
    """Return the class counts of the leaf that each row reaches, (n, n_classes)."""
    rows = []
    for x in np.asarray(X, dtype=float):
        node = tree
        while node.feature >= 0:
            node = node.left if node.goes_left(x) else node.right
        rows.append(node.value)
    return np.array(rows, dtype=float).reshape(len(rows), len(tree.value))


def flatten(tree):
    """Return depth-first preorder arrays; a leaf has feature, left and right -1 and threshold 0."""
    names = ("feature", "threshold", "left", "right", "value", "missing_left")
    flat = {name: [] for name in names}

    def visit(node):
        index = len(flat["feature"])
        flat["feature"].append(node.feature)
        flat["threshold"].append(node.threshold)
        flat["value"].append(node.value)
        flat["missing_left"].append(int(node.missing_left))
        flat["left"].append(-1)
        flat["right"].append(-1)
        if node.feature >= 0:
            flat["left"][index] = visit(node.left)
            flat["right"][index] = visit(node.right)
        return index

    visit(tree)
    return {name: np.array(column) for name, column in flat.items()}
