"""Who plays in a tournament when nobody was named."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from driftlearn.baselines import NoChangeClassifier, RefitClassifier
from driftlearn.chunk import AWEClassifier, DTELClassifier
from driftlearn.online import (
    ACEClassifier,
    AdaptiveRandomForestClassifier,
    IBoostClassifier,
    LeveragingBaggingClassifier,
    OAUEClassifier,
    OnlineBoostClassifier,
)

CLASS_ROWS = 200  # of each class that a window keeps however old they are


def default_learners(chunk_size: int = 1) -> dict[str, Any]:
    """Return the learners that play by default, by name, where rows come in chunks of this size.

    They were chosen on the choosing part of the panel: those that are best on most streams, and
    others that are best where those are not (turning hyperplanes, electricity, rules that return).
    Row by row "no change" plays too, so that labels that come in runs are never a surprise. Chunk
    by chunk two learners of chunks do, and two that are trained anew with each chunk on a window
    of rows, which no class leaves that was ever there: a forest and a linear one.
    """
    online: dict[str, Any] = {
        "leveraging bagging": LeveragingBaggingClassifier(),
        "adaptive random forest": AdaptiveRandomForestClassifier(),
        "oaue": OAUEClassifier(),
        "iboost": IBoostClassifier(),
        "online boosting": OnlineBoostClassifier(),
        "ace": ACEClassifier(),
    }
    if chunk_size == 1:
        return {**online, "no change": NoChangeClassifier()}
    return {
        **online,
        "dtel": DTELClassifier(),
        "awe": AWEClassifier(),
        "forest, window": RefitClassifier(RandomForestClassifier(50), class_rows=CLASS_ROWS),
        "linear, window": RefitClassifier(
            make_pipeline(
                SimpleImputer(keep_empty_features=True), StandardScaler(), LogisticRegression()
            ),
            class_rows=CLASS_ROWS,
        ),
    }
