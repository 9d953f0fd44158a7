"""Contents of a few hundred bytes: the same document and arrays as in a file, in less.

A file has to be opened by others, ``numpy.load`` among them, and says every name in full. The state
of a key is turned into bytes and back all the time and read by nobody else, so it has a leaner
container::

    "dls" and the number of the container's format, 1 byte
    how many bytes the rest takes unpacked, 6 bytes
    deflated: the document, as `_codec` has it; the long arrays, end to end
    the first 16 bytes of the SHA-256 of all before

Names of classes and attributes are places in a list (`_words`) that belongs to the format.
"""

from __future__ import annotations

import zlib
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.lib import format as npy

from driftlearn.io._codec import Words, decoded, encoded
from driftlearn.io._files import FORMAT, CorruptFile, versions
from driftlearn.io._graph import Writer
from driftlearn.io._limits import check_size, checked, most_values
from driftlearn.io._names import names_of
from driftlearn.io._rebuild import Reader
from driftlearn.io._words import NAMES, ROWS
from driftlearn.utils.version import __version__

MAGIC = b"dls"
NUMBER = 1  # of the format: another one where the codec or the words change
HEAD = len(MAGIC) + 1
SIZE = 6
SEAL = 16
LEVEL = 3  # twice as fast as 6, for a few bytes more

_words = Words(NAMES, ROWS)


def pack(tree: Any, writer: Writer) -> bytes:
    """Return a sealed content of a tree and of the long arrays of its writer."""
    parts, arrays = [], []
    for name, (dtype, pieces) in writer.blocks.items():
        part = b"".join(pieces)
        kind = dtype.str if dtype.names is None else writer.value(npy.dtype_to_descr(dtype))
        parts.append(part)
        arrays.append([name, kind, len(part)])
    document = {"format": FORMAT, "made_by": versions(), "tree": tree, "arrays": arrays}
    return sealed(b"".join([encoded(document, _words), *parts]))


def sealed(body: bytes) -> bytes:
    """Return a content of what is deflated in it."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
    start = MAGIC + bytes([NUMBER]) + len(body).to_bytes(SIZE, "little")
    content = b"".join([start, packer.compress(body), packer.flush()])
    return content + sha256(content).digest()[:SEAL]


def unpack(
    content: bytes, source: str, max_bytes: int | None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the document and the long arrays of a small content; raise `CorruptFile` if broken."""
    if sha256(memoryview(content)[:-SEAL]).digest()[:SEAL] != content[-SEAL:]:
        raise CorruptFile(f"{source} is cut short or damaged: it does not match its checksum")
    number = content[HEAD - 1]
    if number != NUMBER:
        raise CorruptFile(
            f"{source} was made by a newer version of driftlearn, as a state of format {number}; "
            f"this is {__version__}, which reads format {NUMBER}"
        )
    try:
        size = int.from_bytes(content[HEAD : HEAD + SIZE], "little")
        check_size(size, len(content), max_bytes, source)
        body = _inflated(content[HEAD + SIZE : -SEAL], size)
        document, begin = decoded(body, _words, most_values(len(content), max_bytes))
        blocks = {}
        for name, kind, n in document["arrays"]:
            dtype = checked(_dtype(kind))
            if not 0 <= n <= size - begin or n % dtype.itemsize:
                raise ValueError(f"{n} bytes of an array of dtype {dtype}")
            blocks[name] = np.frombuffer(body, dtype, n // dtype.itemsize, begin)
            begin += n
        if begin != size:
            raise ValueError("more than its document accounts for")
    except (CorruptFile, MemoryError):
        raise
    except Exception as problem:
        raise CorruptFile(f"{source} is not a saved state: {problem!r:.500}") from problem
    return document, blocks


def _dtype(kind: Any) -> np.dtype:
    if isinstance(kind, str):
        return np.dtype(kind)
    return npy.descr_to_dtype(Reader(names_of(()), {}).value(kind))


def _inflated(content: bytes, size: int) -> bytes:
    """Return what was deflated, if it has this size."""
    unpacker = zlib.decompressobj(-15)
    body = unpacker.decompress(content, size + 1)
    if len(body) != size or not unpacker.eof or unpacker.unused_data:
        raise ValueError(f"it does not unpack to the {size:,} bytes that it says")
    return body
