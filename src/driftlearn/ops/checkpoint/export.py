"""Export of a saved model to a file of another format."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax

from driftlearn.base._probabilities import normalize
from driftlearn.export import to_onnx, to_treelite
from driftlearn.export._formats import softmax_factor
from driftlearn.export._onnx_encoder import encoder_table
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.utils.atomic_files import atomic_write

RUNTIMES = {"onnx": "onnxruntime", "treelite": "treelite"}
TOLERANCE = 1e-6  # larger differences of probabilities are errors


def export_saved(saved: SavedModel, path: Path, target: str, table: Path | None) -> dict[str, Any]:
    """Write a saved model to a file and compare predictions; return the results as JSON values.

    Parameters
    ----------
    saved : SavedModel
        The model.
    path : Path
        The file.
    target : {"onnx", "treelite"}
        Its format.
    table : Path, optional
        Where to write the encoding of the table, for formats without encoder.
    """
    learner, rows = saved.learner, saved.model.recent_.rows
    content = _content(saved.model, learner, target)
    is_there = find_spec(RUNTIMES[target]) is not None and len(rows) > 0
    difference = None
    if is_there:
        # the rows are encoded, so the learner is compared alone
        found = _predicted(learner, rows, target)
        difference = float(np.abs(found - learner.predict_proba(rows)).max())
        if not difference <= TOLERANCE:
            raise RuntimeError(f"the exported model differs from the saved one by {difference:.1e}")
    atomic_write(path, content)
    if table is not None:
        factor = softmax_factor(learner)
        output = "votes" if factor is None else "scores"
        described = {"classes": learner.classes_.tolist(), "output": output,
                     "softmax factor": factor, **encoder_table(saved.encoder)}  # fmt: skip
        atomic_write(table, json.dumps(described, indent=1).encode())
    found_rows = len(rows) if is_there else 0
    return {"path": str(path), "table": None if table is None else str(table), "to": target,
            "runtime": RUNTIMES[target], "rows": found_rows, "difference": difference}  # fmt: skip


def _content(model: Any, learner: Any, target: str) -> bytes:
    if target == "onnx":
        found: bytes = to_onnx(model).SerializeToString()
        return found
    return bytes(to_treelite(learner).serialize_bytes())


def _predicted(learner: Any, rows: np.ndarray, target: str) -> np.ndarray:
    """Return the probabilities that the exported learner predicts."""
    if target == "onnx":
        from onnxruntime import InferenceSession

        session = InferenceSession(to_onnx(learner).SerializeToString())
        probas: np.ndarray = session.run(["probabilities"], {"X": np.ascontiguousarray(rows)})[0]
        return probas
    from treelite import gtil

    votes = gtil.predict(to_treelite(learner), np.ascontiguousarray(rows))[:, 0]
    factor = softmax_factor(learner)
    return np.asarray(normalize(votes) if factor is None else softmax(factor * votes, axis=1))
