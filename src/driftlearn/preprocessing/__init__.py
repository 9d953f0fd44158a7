"""Incremental encoding of tables, and pipelines."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "pipeline": "IncrementalPipeline make_pipeline",
        "refitted": "Frozen Refitted",
        "surprises": "Surprise SurpriseWarning",
        "table_encoder": "TableEncoder",
    },
)
