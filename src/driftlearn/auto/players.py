"""Who plays in a tournament when nobody was named."""

from __future__ import annotations

from typing import Any

from driftlearn.baselines import NoChangeClassifier
from driftlearn.chunk import AUE2Classifier
from driftlearn.learners import HoeffdingTreeClassifier
from driftlearn.online import NSOnlineBoostClassifier, OnlineBoostClassifier


def default_learners() -> dict[str, Any]:
    """Return the learners that play by default, by name."""
    return {
        "online boosting": OnlineBoostClassifier(HoeffdingTreeClassifier(), n_estimators=10),
        "nsonlineboost": NSOnlineBoostClassifier(),
        "aue2": AUE2Classifier(chunk_size=500),
        "no change": NoChangeClassifier(),
    }
