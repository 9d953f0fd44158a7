"""Errors of readers of files."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

#: What readers raise of a file that is damaged, or is something else.
UNREADABLE = (
    ValueError, OSError, EOFError, OverflowError, zlib.error, lzma.LZMAError, zipfile.BadZipFile,
)  # fmt: skip


@contextmanager
def explained(path: str, kind: str) -> Iterator[None]:
    """Name the file when it turns out not to be what it should be."""
    try:
        yield
    except UNREADABLE as error:
        raise ValueError(f"{path} cannot be read as {kind}: {str(error).strip()}") from error
