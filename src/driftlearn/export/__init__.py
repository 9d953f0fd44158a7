"""Export of trained models to ONNX, treelite and SHAP.

An exported model is a snapshot of the learner with its present weights and voting rule. Before an
ensemble of trees is returned, its predictions are compared with the learner's own on rows at all
thresholds of the trees. A learner that the format does not support raises `CannotExport`.
"""

from driftlearn.export._fixed_trees import CannotExport
from driftlearn.export._formats import to_shap, to_treelite
from driftlearn.export._onnx import exportable_candidates, to_onnx

__all__ = ["CannotExport", "exportable_candidates", "to_onnx", "to_shap", "to_treelite"]
