"""Who plays in a tournament when nobody was named."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import RandomForestClassifier

from driftlearn.dummy.no_change import NoChangeClassifier
from driftlearn.dummy.refit import RefitClassifier
from driftlearn.ensemble.bagging.leveraging_bagging import LeveragingBaggingClassifier
from driftlearn.ensemble.boosting.iboost import IBoostClassifier
from driftlearn.ensemble.boosting.online_boost import OnlineBoostClassifier
from driftlearn.ensemble.chunk.awe import AWEClassifier
from driftlearn.ensemble.chunk.dtel import DTELClassifier
from driftlearn.ensemble.weighted.ace import ACEClassifier
from driftlearn.ensemble.weighted.oaue import OAUEClassifier
from driftlearn.forest.adaptive_random_forest import AdaptiveRandomForestClassifier
from driftlearn.linear_model.logistic import LogisticClassifier

CLASS_ROWS = 200  # of each class that a window keeps however old they are


def default_learners(chunk_size: int = 1) -> dict[str, Any]:
    """Return the learners that play by default, by name, where rows come in chunks of this size.

    They were chosen on the choosing part of the panel: those that are best on most streams, and
    others that are best where those are not (turning hyperplanes, electricity, rules that return).
    Row by row "no change" plays too, so that labels that come in runs are never a surprise. Chunk
    by chunk two learners of chunks do, and a forest that is trained anew with each chunk on a
    window of rows, which no class leaves that was ever there.
    """
    online: dict[str, Any] = {
        "leveraging bagging": LeveragingBaggingClassifier(),
        "adaptive random forest": AdaptiveRandomForestClassifier(),
        "oaue": OAUEClassifier(),
        "iboost": IBoostClassifier(),
        "online boosting": OnlineBoostClassifier(),
        "ace": ACEClassifier(),
        "logistic": LogisticClassifier(),
    }
    if chunk_size == 1:
        return {**online, "no change": NoChangeClassifier()}
    return {
        **online,
        "dtel": DTELClassifier(),
        "awe": AWEClassifier(),
        "forest, window": RefitClassifier(RandomForestClassifier(50), class_rows=CLASS_ROWS),
    }
