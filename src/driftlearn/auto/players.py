"""Who plays in a tournament when nobody was named."""

from __future__ import annotations

from typing import Any

from driftlearn.baselines import NoChangeClassifier
from driftlearn.chunk import AWEClassifier, DTELClassifier
from driftlearn.online import (
    ACEClassifier,
    AdaptiveRandomForestClassifier,
    IBoostClassifier,
    LeveragingBaggingClassifier,
    OAUEClassifier,
    OnlineBoostClassifier,
)


def default_learners(chunk_size: int = 1) -> dict[str, Any]:
    """Return the learners that play by default, by name, where rows come in chunks of this size.

    They were chosen on the choosing part of the panel: the two that are best on most streams, and
    others that are best where those are not (turning hyperplanes, electricity, rules that return).
    Row by row "no change" plays too, so that labels that come in runs are never a surprise; chunk
    by chunk two learners of chunks do.
    """
    online: dict[str, Any] = {
        "leveraging bagging": LeveragingBaggingClassifier(),
        "adaptive random forest": AdaptiveRandomForestClassifier(),
        "oaue": OAUEClassifier(),
        "iboost": IBoostClassifier(),
        "online boosting": OnlineBoostClassifier(),
    }
    if chunk_size == 1:
        return {**online, "ace": ACEClassifier(), "no change": NoChangeClassifier()}
    return {**online, "dtel": DTELClassifier(), "awe": AWEClassifier()}
