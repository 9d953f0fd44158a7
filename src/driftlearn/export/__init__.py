"""Trained committees of trees for places where driftlearn is not: ONNX, treelite, SHAP.

What is exported learns no more: it is the learner as it is now, with its weights and its rule of
voting. Before anything is handed out its answers are compared with the learner's own on rows at
all the thresholds of its trees. What is no weighted sum of votes of trees raises `CannotExport`,
with the reason.
"""

from driftlearn.export._fixed_trees import CannotExport
from driftlearn.export._onnx import to_onnx
from driftlearn.export._shap import to_shap
from driftlearn.export._treelite import to_treelite

__all__ = ["CannotExport", "to_onnx", "to_shap", "to_treelite"]
