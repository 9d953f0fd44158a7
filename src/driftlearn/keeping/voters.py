"""Who voted for a label, and with which weight, in a few characters a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.auto import AutoClassifier

NAMED = 5  # members of a row that are named, the heaviest first


def voters_of(learner: Any, X: np.ndarray, said: np.ndarray) -> list[str]:
    """Return for each row who voted for its label: ``"3:0.42 7:0.31"``, by id and share.

    Parameters
    ----------
    learner : learner
        An ensemble; of any other nobody is named.
    X : ndarray of shape (n, d)
        The rows.
    said : ndarray of shape (n,)
        The codes of their labels.
    """
    names, weights, votes = _votes(learner, X)
    if not names:
        return [""] * len(X)
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    order = [j for j in np.argsort(-shares, kind="stable").tolist() if shares[j] > 0]
    found = []
    for i in range(len(X)):
        for_it = [j for j in order if votes[j, i] == said[i]][:NAMED]
        found.append(" ".join(f"{names[j]}:{shares[j]:.2f}" for j in for_it))
    return found


def _votes(learner: Any, X: np.ndarray) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return names and weights of members, and the code that each has for every row."""
    if isinstance(learner, AutoClassifier):
        said = [player.probas(X, learner.classes_) for player in learner.players_]
        codes = [np.full(len(X), -1) if p is None else np.nan_to_num(p).argmax(1) for p in said]
        return [player.name for player in learner.players_], learner.voices_, np.array(codes)
    committee = getattr(learner, "committee_", None)
    if committee is None or not len(committee):
        return [], np.zeros(0), np.zeros((0, len(X)))
    members = learner.members_
    names, weights = [str(each) for each in members["id"].tolist()], members["weight"]
    if hasattr(committee, "labels"):
        codes = [*np.asarray(committee.labels(X))]
    elif hasattr(committee, "ask"):
        codes = [*np.array([np.array(committee.ask(X, i)) for i in range(len(X))]).T]
    else:
        return [], np.zeros(0), np.zeros((0, len(X)))
    return names, np.asarray(weights, dtype=float), np.array(codes)
