"""The default candidates of online model selection."""

from typing import Any

from sklearn.ensemble import RandomForestClassifier

from driftlearn.dummy.baselines import NoChangeClassifier
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

CLASS_ROWS = 200  # rows of each class that the window keeps regardless of age


def default_candidates(chunk_size: int = 1) -> dict[str, Any]:
    """Return the default candidates of `AutoClassifier`, by name, for chunks of this size.

    They were chosen on one part of the streams of ``benchmarks/panel.toml``: the learners that are
    best on most streams, and others that are best where those are not (rotating hyperplanes,
    electricity, recurring rules). Row by row, "no change" covers labels that come in runs. Chunk
    by chunk, there are two learners of chunks and a random forest that is retrained with each
    chunk on a window of rows, which keeps rows of every class.
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
