"""Who speaks in a learner, and what each says of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.base._model_answers import labels
from driftlearn.base._probabilities import normalize
from driftlearn.inspection._trees import stumps_of
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Floats, Ints


def members_of(learner: Any) -> Table:
    """Return the table of members; a learner without any is the only one."""
    found: Table | None = getattr(learner, "members_", None)
    if found is not None and len(found):
        return found
    return Table({"id": [1], "weight": [1.0], "classes": [learner.classes_.tolist()]})


def models_of(learner: Any) -> list[Any]:
    """Return the model of each member, in the order of `members_of`."""
    if hasattr(learner, "players_"):
        return [player.learner for player in learner.players_]
    committee = getattr(learner, "committee_", None)
    if committee is None or not len(committee):
        return [learner]
    models = committee.models
    if isinstance(models, list):
        return list(models)
    if hasattr(models, "models"):
        return list(models.models)
    return list(stumps_of(models.get_state(), len(learner.classes_)))


def said_by(learner: Any, X: np.ndarray) -> tuple[Ints, Floats]:
    """Return what each member says of each row, and how probable it finds that.

    Returns
    -------
    codes : int array of shape (members, rows)
        Positions in ``classes_``; -1 where a member says nothing.
    confidence : array of shape (members, rows)
        nan where a member names a class and no more.
    """
    classes = learner.classes_
    committee = getattr(learner, "committee_", None)
    if hasattr(learner, "players_"):
        said = [player.probas(X, classes) for player in learner.players_]
        probas = np.array([np.zeros((len(X), len(classes))) if p is None else p for p in said])
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
