# Written by `make stubs`.
from driftlearn.preprocessing import pipeline as pipeline
from driftlearn.preprocessing import recent_rows as recent_rows
from driftlearn.preprocessing import refitted as refitted
from driftlearn.preprocessing import table_encoder as table_encoder
from driftlearn.preprocessing.refitted import Frozen as Frozen
from driftlearn.preprocessing.pipeline import IncrementalPipeline as IncrementalPipeline
from driftlearn.preprocessing.refitted import Refitted as Refitted
from driftlearn.preprocessing._knowledge import SchemaChange as SchemaChange
from driftlearn.preprocessing._knowledge import SchemaWarning as SchemaWarning
from driftlearn.preprocessing.table_encoder import TableEncoder as TableEncoder
from driftlearn.preprocessing.pipeline import make_pipeline as make_pipeline

__all__ = ['Frozen', 'IncrementalPipeline', 'Refitted', 'SchemaChange', 'SchemaWarning', 'TableEncoder', 'make_pipeline']
