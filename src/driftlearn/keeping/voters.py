"""Who voted for a label, and with which weight, in a few characters a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.inspection._voices import said_by

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
    members = getattr(learner, "members_", None)
    if members is None or not len(members):
        return [""] * len(X)
    names = members["name" if "name" in members.columns else "id"].tolist()
    weights, (votes, _) = np.asarray(members["weight"], dtype=float), said_by(learner, X)
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    order = [j for j in np.argsort(-shares, kind="stable").tolist() if shares[j] > 0]
    found = []
    for i in range(len(X)):
        for_it = [j for j in order if votes[j, i] == said[i]][:NAMED]
        found.append(" ".join(f"{names[j]}:{shares[j]:.2f}" for j in for_it))
    return found
