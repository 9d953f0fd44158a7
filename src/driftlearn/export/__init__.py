"""Export of trained tree ensembles to ONNX, treelite and SHAP.

An exported model is a snapshot of the learner with its present weights and voting rule. Before it
is returned, its predictions are compared with the learner's own on rows at all thresholds of the
trees. A learner whose prediction is not a weighted sum of votes of trees raises `CannotExport`.
"""

from driftlearn.export._fixed_trees import CannotExport
from driftlearn.export._formats import to_onnx, to_shap, to_treelite

__all__ = ["CannotExport", "to_onnx", "to_shap", "to_treelite"]
