"""Hoeffding adaptive tree (Bifet & Gavaldà 2009): alternates replace nodes whose error rises.

Decisions:

* Every node has an ADWIN, updated with the error of the leaf that the row reaches below the root of
  its tree (or alternate), determined before the row is learned; a leaf without rows gives no error.
  The counts at leaves are plain sums (HAT-INC), and no random number is used.
* A split node whose ADWIN cuts while its error rises creates an alternate, at most one: an empty
  leaf at its depth, which learns from this row on. Nodes of an alternate have no alternates.
* After the alternate has learned a row: if both windows hold more than `min_width` errors, and the
  errors differ by more than sqrt(2 e (1 - e) log(2 / switch_alpha) (1 / n + 1 / n_alt)), e of the
  node, the better of the two is kept. A part that is replaced does not learn the row.
* A leaf that splits keeps its ADWIN, its children have new ones. V of a nominal attribute is the
  number of values seen at the leaf, or at the leaf from which it was split.
* ``alternates="vote"``: the scores are means over the row's leaf in the tree and its leaf in every
  alternate on its path that has split. Errors are those of the leaf in the tree.
* `max_nodes` counts all nodes, including those of alternates. The tree splits up to `max_nodes`;
  alternates are created and split up to twice as many.
"""

from __future__ import annotations

import math

from tests.reference.adwin import AdwinReference
from tests.reference.hoeffding import HoeffdingReference, Node, first_max


class AdaptiveTreeReference(HoeffdingReference):
    def __init__(
        self,
        n_features,
        max_nodes=10_000,
        drift_delta=0.002,
        switch_alpha=0.05,
        min_width=300,
        alternates="vote",
        **how,
    ):
        super().__init__(n_features, **how)
        self.most_nodes, self.drift_delta = max_nodes, drift_delta
        self.switch_alpha, self.min_width = switch_alpha, min_width
        self.alternates = alternates
        self.n_alternates = self.n_switches = 0
        self._equip(self.root, self.n_values)

    def _equip(self, node, n_values):
        node.adwin, node.alternate, node.n_values = AdwinReference(self.drift_delta), None, n_values
        return node

    def size(self, node=None):
        """Return the number of nodes, including alternates."""
        node = node or self.root
        below = [node.left, node.right, node.alternate]
        return 1 + sum(self.size(other) for other in below if other)

    def leaf(self, x, node=None):
        leaf = super().leaf(x, node)
        self.n_values = leaf.n_values
        return leaf

    def _voters(self, x):
        """Return the root, and the roots of alternates that vote on a row."""
        voters, node = [self.root], self.root
        while node.feature >= 0:
            if self.alternates == "vote" and node.alternate and node.alternate.feature >= 0:
                voters.append(node.alternate)
            node = self.child(node, x)
        return voters

    def scores(self, x):
        each = [self._scores_at(self.leaf(x, root), x) for root in self._voters(x)]
        each = [given + [0.0] * (len(each[0]) - len(given)) for given in each]
        return [sum(given) / len(each) for given in zip(*each)]

    def predict_one(self, x):
        voters = self._voters(x)
        return super().predict_one(x) if len(voters) == 1 else first_max(self.scores(x))

    def learn_one(self, x, y, w=1.0):
        x, y, w = [float(v) for v in x], int(y), float(w)
        if w > 0:
            self.widen(y + 1)
            self.root = self._learn(self.root, x, y, w, False)

    def _learn(self, root, x, y, w, in_alternate):
        """Learn a row; return the root, which may be an alternate that replaced the old root."""
        leaf = self.leaf(x, root)
        error = self._prediction(leaf, x) != y if sum(leaf.class_weights) > 0 else None
        return self._pass(root, x, y, w, error, in_alternate)

    def _prediction(self, leaf, x):
        return (
            self._nb_prediction(leaf, x) if self._uses_nb(leaf) else first_max(leaf.class_weights)
        )

    def _pass(self, node, x, y, w, error, in_alternate):
        """Pass the row to a node; return the node at its position afterwards."""
        before = node.adwin.estimate
        cut = error is not None and node.adwin.update(error)
        if node.feature < 0:
            leaf = self.leaf(x, node)
            n_values = self._grown(x)
            leaf.n_values = n_values
            self.now_most = self.most_nodes * (2 if in_alternate else 1)
            self._learn_at(leaf, x, y, w, n_values)
            return node
        rose = cut and node.adwin.estimate > before
        room = self.size() < 2 * self.most_nodes
        if rose and not in_alternate and node.alternate is None and room:
            node.alternate = self._equip(Node([], node.depth, 0, node.features), [0] * len(x))
            self.n_alternates += 1
        if node.alternate is not None:
            node.alternate = self._learn(node.alternate, x, y, w, True)
            comparison = self._comparison(node)
            if comparison > 0:
                self.n_switches += 1
                return node.alternate
            if comparison < 0:
                node.alternate = None
        child = self.child(node, x)
        kept = self._pass(child, x, y, w, error, in_alternate)
        if child is node.left:
            node.left = kept
        else:
            node.right = kept
        return node

    def _comparison(self, node):
        """Return 1 if the alternate is significantly better, -1 if it is worse, else 0."""
        old, new = node.adwin, node.alternate.adwin
        if min(old.width, new.width) <= self.min_width:
            return 0
        variance = old.estimate * (1 - old.estimate)
        n = 1 / old.width + 1 / new.width
        bound = math.sqrt(2 * variance * math.log(2 / self.switch_alpha) * n)
        gap = old.estimate - new.estimate
        return (gap > bound) - (-gap > bound)

    def _try_split(self, leaf):
        if self.size() + 2 > self.now_most:
            return
        super()._try_split(leaf)
        for child in (leaf.left, leaf.right):
            if child:
                self._equip(child, leaf.n_values)
