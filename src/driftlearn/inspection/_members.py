"""Access to parts of a model: learner, members and their predictions, column and value names."""

from typing import Any

import numpy as np

from driftlearn.base._probabilities import labels, normalize
from driftlearn.preprocessing import IncrementalPipeline, TableEncoder
from driftlearn.preprocessing._columns import FIRST, NONE, OTHER
from driftlearn.tables.frames import numbered
from driftlearn.tree.node_arrays import stumps_of
from driftlearn.utils.arguments import Floats, Ints
from driftlearn.utils.table import Table


def members_of(learner: Any) -> Table:
    """Return the table of members in the order of `models_of`.

    A learner without members is treated as a single member.
    """
    found: Table | None = getattr(learner, "members_", None)
    if found is not None and len(found):
        return found.sort("id") if hasattr(learner, "candidate_list_") else found
    return Table({"id": [1], "weight": [1.0], "classes": [learner.classes_.tolist()]})


def models_of(learner: Any) -> list[Any]:
    """Return the model of each member, in the order of `members_of`."""
    if hasattr(learner, "candidate_list_"):
        return [candidate.classifier for candidate in learner.candidate_list_]
    committee = getattr(learner, "committee_", None)
    if committee is None or not len(committee):
        return [learner]
    models = committee.models
    if isinstance(models, list):
        return list(models)
    if hasattr(models, "models"):
        return list(models.models)
    return list(stumps_of(models.get_state(), len(learner.classes_)))


def predictions_of(learner: Any, X: np.ndarray) -> tuple[Ints, Floats]:
    """Return the prediction of each member for each row, and its confidence.

    Returns
    -------
    codes : int array of shape (members, rows)
        Positions in ``classes_``; -1 if a member abstains.
    confidence : array of shape (members, rows)
        The probability of the predicted class; nan for members without probabilities.
    """
    classes = learner.classes_
    committee = getattr(learner, "committee_", None)
    if hasattr(learner, "candidate_list_"):
        found = [each.predict_proba(X, classes) for each in learner.candidate_list_]
        probas = np.array([np.zeros((len(X), len(classes))) if p is None else p for p in found])
        probas = np.where(np.isnan(probas), 0.0, probas)
        return np.where(probas.sum(axis=2) > 0, probas.argmax(axis=2), -1), probas.max(axis=2)
    if committee is None or not len(committee):
        probas = learner.predict_proba(X)[None]
        return probas.argmax(axis=2), probas.max(axis=2)
    if hasattr(committee, "probas"):
        codes, probas = np.asarray(committee.labels(X)), committee.probas(X)
    elif isinstance(committee.models, list):
        codes = np.array([labels(model, X) for model in committee.models])
        probas = np.zeros((*codes.shape, len(classes)))
        for model, out in zip(committee.models, probas):
            model.scores_many(X, out)
            out[:] = normalize(np.where(np.isfinite(out) & (out > 0), out, 0.0))
    else:
        codes = np.asarray(committee.models.codes(X)).astype(int)
        return codes, np.full(codes.shape, np.nan)
    confidence = np.take_along_axis(probas, np.maximum(codes, 0)[..., None], axis=2)[..., 0]
    return codes, np.where(codes >= 0, confidence, np.nan)


def columns_of(model: Any) -> tuple[list[str], Any]:
    """Return the names of the input columns of a model's learner, and the learner."""
    steps: Any = model.steps_ if isinstance(model, IncrementalPipeline) else [("", model)]
    learner = steps[-1][1]
    encoder: Any = steps[-2][1] if len(steps) > 1 else None
    if hasattr(encoder, "get_feature_names_out"):
        names = encoder.get_feature_names_out()
    else:
        names = getattr(learner, "feature_names_in_", None)
    known = numbered(learner.n_features_in_) if names is None else [str(name) for name in names]
    return known, learner


def values_of(model: Any) -> dict[str, dict[float, str]]:
    """Return the category names of the codes in each encoded column."""
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
