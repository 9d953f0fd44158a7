"""Where rows come from, with positions: from which row on to go on tomorrow.

A source yields `Piece` objects: some rows as columns, the file and the row they begin at, and the
position after each of them, which is plain JSON. Whoever keeps the position of the last row that
was done with and hands it to the source again gets the rows after it, and no other.
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
