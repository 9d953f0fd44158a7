"""Sources of rows, with positions from which the next run continues.

A source yields `Piece` objects: consecutive rows as columns, their file, the number of the first
row, and the position after each row as plain JSON. A reader that stores the position of the last
processed row and later passes it to the source receives exactly the rows after it.
"""

from driftlearn.ops.sources.files import FileSource
from driftlearn.ops.sources.log_source import LogSource
from driftlearn.ops.sources.source import Source, source_of
from driftlearn.ops.sources.table_file import TableFile
from driftlearn.tables.csv_file import CSVFile
from driftlearn.tables.files import BrokenLine, ChangedFile, Piece
from driftlearn.tables.parquet_file import ParquetFile

__all__ = [
    "BrokenLine",
    "CSVFile",
    "ChangedFile",
    "FileSource",
    "LogSource",
    "ParquetFile",
    "Piece",
    "Source",
    "TableFile",
    "source_of",
]
