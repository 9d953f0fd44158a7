"""Who plays in a tournament when nobody was named."""

from __future__ import annotations

from typing import Any

from driftlearn.baselines import NoChangeClassifier
from driftlearn.online import (
    AdaptiveRandomForestClassifier,
    IBoostClassifier,
    LeveragingBaggingClassifier,
    NSOnlineBoostClassifier,
    OAUEClassifier,
)


def default_learners() -> dict[str, Any]:
    """Return the learners that play by default, by name.

    They were chosen on the choosing part of the panel: the two that are best on most streams, three
    that are best where those are not (turning hyperplanes, electricity), and "no change", so that
    labels that come in runs are never a surprise.
    """
    return {
        "leveraging bagging": LeveragingBaggingClassifier(replace="fired"),
        "adaptive random forest": AdaptiveRandomForestClassifier(),
        "oaue": OAUEClassifier(),
        "iboost": IBoostClassifier(loss="logistic"),
        "nsonlineboost": NSOnlineBoostClassifier(),
        "no change": NoChangeClassifier(),
    }
