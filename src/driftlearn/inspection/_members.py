"""Members of a learner, and their predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.base._probabilities import labels, normalize
from driftlearn.inspection._trees import stumps_of
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Floats, Ints


def members_of(learner: Any) -> Table:
    """Return the table of members; a learner without members is its own only member."""
    found: Table | None = getattr(learner, "members_", None)
    if found is not None and len(found):
        return found
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
        Positions in ``classes_``; -1 where a member abstains.
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
        codes = np.asarray(committee.models.ask(X)).astype(int)
        return codes, np.full(codes.shape, np.nan)
    confidence = np.take_along_axis(probas, np.maximum(codes, 0)[..., None], axis=2)[..., 0]
    return codes, np.where(codes >= 0, confidence, np.nan)
