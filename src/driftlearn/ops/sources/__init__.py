"""Sources of rows, with positions from which the next run continues.

A source yields `Piece` objects: rows as columns, their file and the number of their first row, and
the position after each row, which is plain JSON. A reader that stores the position of the last
processed row and passes it to the source again receives the rows after it, and no others.
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
