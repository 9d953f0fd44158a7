"""Node of a Hoeffding adaptive tree."""

import cython


@cython.cclass
class AdaptiveNode:
    """Leaf or split of a Hoeffding adaptive tree, with its error window and alternate subtree.

    A leaf holds a Hoeffding tree of one node. `alternate` is None where no alternate subtree
    grows; the nodes of an alternate subtree never have alternates themselves.
    """

    def __init__(self, depth, leaf, errors):
        self.depth = depth
        self.leaf = leaf
        self.errors = errors
        self.feature = -1
        self.threshold = 0.0
        self.missing_left = 0
        self.left = self.right = self.alternate = None

    def become(self, other):
        """Take over the content of another node, which replaces this one in place."""
        self.leaf, self.errors = other.leaf, other.errors
        self.feature, self.threshold = other.feature, other.threshold
        self.missing_left = other.missing_left
        self.left, self.right, self.alternate = other.left, other.right, None

    def below(self):
        """Return the left child, the right child and the alternate; None for missing ones."""
        return self.left, self.right, self.alternate
