"""A node of a Hoeffding adaptive tree."""

import cython


@cython.cclass
class AdaptiveNode:
    """A node: a leaf, which is a tree of one node, or a split; its errors; its alternate, if any.

    An alternate has none itself.
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
        """Be what another node is."""
        self.leaf, self.errors = other.leaf, other.errors
        self.feature, self.threshold = other.feature, other.threshold
        self.missing_left = other.missing_left
        self.left, self.right, self.alternate = other.left, other.right, None

    def below(self):
        """Return its children and its alternate, None where there is none."""
        return self.left, self.right, self.alternate
