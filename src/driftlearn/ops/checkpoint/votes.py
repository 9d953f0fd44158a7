"""Ensemble members that voted for a predicted label, and their weights."""

from typing import Any

import numpy as np

from driftlearn.inspection._members import predictions_of

LISTED = 5  # members listed for a row, by decreasing weight


def vote_texts(learner: Any, X: np.ndarray, codes: np.ndarray) -> list[str]:
    """Return the votes for each row's label as ``"3:0.42 7:0.31"``; see `vote_shares`."""
    return [
        " ".join(f"{name}:{share:.2f}" for name, share in row)
        for row in vote_shares(learner, X, codes)
    ]


def vote_shares(learner: Any, X: np.ndarray, codes: np.ndarray) -> list[list[tuple[Any, float]]]:
    """Return for each row the members that voted for its label, and their shares of all weight.

    Parameters
    ----------
    learner : learner
        An ensemble; for any other learner the lists are empty.
    X : ndarray of shape (n, d)
        The rows.
    codes : ndarray of shape (n,)
        The predicted labels, as positions in the classes of the learner.
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
        [(names[j], float(shares[j])) for j in order if votes[j, i] == codes[i]][:LISTED]
        for i in range(len(X))
    ]
