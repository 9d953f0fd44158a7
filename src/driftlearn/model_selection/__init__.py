"""Online model selection."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "defaults": "default_candidates default_table_candidates",
        "prediction_sets": "PredictionSets",
    },
)
