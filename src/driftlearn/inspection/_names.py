"""Names of columns and of their values, as in the data of the user."""

from __future__ import annotations

from typing import Any

from driftlearn.preprocessing._columns import FIRST, NONE, OTHER
from driftlearn.preprocessing.pipeline import IncrementalPipeline
from driftlearn.preprocessing.table_encoder import TableEncoder
from driftlearn.tables.frames import numbered


def columns_of(model: Any) -> tuple[list[str], Any]:
    """Return the names of the columns passed to the learner of a model, and the learner."""
    if isinstance(model, IncrementalPipeline):
        learner = model.steps_[-1][1]
        before: Any = model.steps_[-2][1] if len(model.steps_) > 1 else None
        if hasattr(before, "get_feature_names_out"):
            return [str(name) for name in before.get_feature_names_out()], learner
    else:
        learner = model
    known = getattr(learner, "feature_names_in_", None)
    names = numbered(learner.n_features_in_) if known is None else [str(each) for each in known]
    return names, learner


def values_of(model: Any) -> dict[str, dict[float, str]]:
    """Return the names of the codes of each encoded column."""
    if not isinstance(model, IncrementalPipeline) or len(model.steps_) != 2:
        return {}
    encoder = model.steps_[0][1]
    if not isinstance(encoder, TableEncoder) or encoder.scale:
        return {}
    names = encoder.get_feature_names_out()
    codes = {names[j] for j in encoder.nominal_features_}
    found = {}
    for column, categories in encoder.categories_.items():
        if column in codes:
            known = {float(FIRST + k): repr(name) for k, name in enumerate(categories)}
            found[column] = {float(OTHER): "another category", float(NONE): "missing", **known}
    return found
