# Written by `make stubs`.
from driftlearn.tree import boosted_trees as boosted_trees
from driftlearn.tree import cart as cart
from driftlearn.tree import hoeffding_adaptive_tree as hoeffding_adaptive_tree
from driftlearn.tree import hoeffding_tree as hoeffding_tree
from driftlearn.tree import node_arrays as node_arrays
from driftlearn.tree import stump as stump
from driftlearn.tree.boosted_trees import BoostedTreesClassifier as BoostedTreesClassifier
from driftlearn.tree.cart import CARTClassifier as CARTClassifier
from driftlearn.tree.hoeffding_adaptive_tree import HoeffdingAdaptiveTreeClassifier as HoeffdingAdaptiveTreeClassifier
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier as HoeffdingTreeClassifier
from driftlearn.tree.stump import StumpClassifier as StumpClassifier

__all__ = ['BoostedTreesClassifier', 'CARTClassifier', 'HoeffdingAdaptiveTreeClassifier', 'HoeffdingTreeClassifier', 'StumpClassifier']
