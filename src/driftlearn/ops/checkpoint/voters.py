"""Who voted for a label, and with which weight, in a few characters a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.inspection._members import predictions_of

NAMED = 5  # members of a row that are named, the heaviest first


def voters_of(learner: Any, X: np.ndarray, said: np.ndarray) -> list[str]:
    """Return for each row who voted for its label: ``"3:0.42 7:0.31"``, by id and share.

    Parameters
    ----------
    learner, X, said
        As in `shares_of`.
    """
    every = shares_of(learner, X, said)
    return [" ".join(f"{name}:{share:.2f}" for name, share in row) for row in every]


def shares_of(learner: Any, X: np.ndarray, said: np.ndarray) -> list[list[tuple[Any, float]]]:
    """Return for each row the members that voted for its label, and their shares of all weight.

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
        return [[] for _ in X]
    names = members["name" if "name" in members.columns else "id"].tolist()
    weights, (votes, _) = np.asarray(members["weight"], dtype=float), predictions_of(learner, X)
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    order = [j for j in np.argsort(-shares, kind="stable").tolist() if shares[j] > 0]
    return [
        [(names[j], float(shares[j])) for j in order if votes[j, i] == said[i]][:NAMED]
        for i in range(len(X))
    ]
