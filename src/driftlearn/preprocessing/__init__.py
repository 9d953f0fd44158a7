"""Incremental encoding of tables, and pipelines."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Frozen": "refitted",
        "IncrementalPipeline": "pipeline",
        "Refitted": "refitted",
        "Surprise": "surprises",
        "SurpriseWarning": "surprises",
        "TableEncoder": "table_encoder",
        "make_pipeline": "pipeline",
    },
)
