"""Incremental encoding of tables, and pipelines."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_knowledge": "SchemaChange SchemaWarning",
        "pipeline": "IncrementalPipeline make_pipeline",
        "refitted": "Frozen Refitted",
        "table_encoder": "TableEncoder",
    },
)
