"""Small contents: the same document and arrays as in a file, in a few hundred bytes.

A model file can be opened by ``numpy.load`` and spells out every name. The state of a key is
encoded and decoded for every batch of rows and read by nothing else, so its container is leaner::

    "dls" and the number of the container format, 1 byte
    size of the rest when unpacked, 6 bytes
    deflated: the document in the encoding of `_codec`; the long arrays, end to end
    the first 16 bytes of the SHA-256 of everything before

Names of classes and attributes are positions in a word list that belongs to the container format.
The list of a format never changes, so its contents can always be read:
``words-1.txt`` is that of format 1 (driftlearn 0.1), ``words-2.txt`` that of format 2.
"""

import zlib
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from driftlearn.io._codec import Words, decoded, encoded
from driftlearn.io._files import FORMAT, CorruptFile, explained, versions
from driftlearn.io._graph import Writer
from driftlearn.io._limits import check_size, checked, most_values
from driftlearn.io._names import names_of
from driftlearn.io._rebuild import Reader
from driftlearn.utils.version import __version__

MAGIC = b"dls"
NUMBER = 2  # version of the container format; increase it when the codec or the word list changes
HEAD = len(MAGIC) + 1
SIZE = 6
SEAL = 16
LEVEL = 3  # compression level: twice as fast as level 6, and only a few bytes larger


@cache
def words(number: int) -> Words:
    """Return the word list of a container format."""
    text = Path(__file__).with_name(f"words-{number}.txt").read_text("utf-8")
    names, _, rows = text.partition("\n\n")
    return Words(names, rows)


def document(tree: Any, writer: Writer) -> tuple[dict[str, Any], list[bytes]]:
    """Return the document of a tree, and the long arrays of its writer as bytes."""
    parts, arrays = [], []
    for name, (dtype, pieces) in writer.blocks.items():
        part = b"".join(pieces)
        kind = dtype.str if dtype.names is None else writer.value(npy.dtype_to_descr(dtype))
        parts.append(part)
        arrays.append([name, kind, len(part)])
    return {"format": FORMAT, "made_by": versions(), "tree": tree, "arrays": arrays}, parts


def pack(tree: Any, writer: Writer) -> bytes:
    """Return the sealed content of a tree and of the long arrays of its writer."""
    described, parts = document(tree, writer)
    return sealed(b"".join([encoded(described, words(NUMBER)), *parts]))


def sealed(body: bytes, number: int = NUMBER) -> bytes:
    """Return a content in a container format, with its body deflated and its checksum."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
    start = MAGIC + bytes([number]) + len(body).to_bytes(SIZE, "little")
    content = b"".join([start, packer.compress(body), packer.flush()])
    return content + sha256(content).digest()[:SEAL]


def unpack(
    content: bytes, source: str, max_bytes: int | None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the document and the long arrays of a small content.

    Raises
    ------
    CorruptFile
        If the content is damaged, or does not have the form that this module describes.
    """
    if sha256(memoryview(content)[:-SEAL]).digest()[:SEAL] != content[-SEAL:]:
        raise CorruptFile(f"{source} is truncated or damaged: its checksum does not match")
    number = content[HEAD - 1]
    if number not in range(1, NUMBER + 1):
        raise CorruptFile(
            f"{source} was saved by a newer version of driftlearn (state format {number}). This "
            f"version, {__version__}, reads formats 1 to {NUMBER}."
        )
    try:
        size = int.from_bytes(content[HEAD : HEAD + SIZE], "little")
        check_size(size, len(content), max_bytes, source)
        body = _inflated(content[HEAD + SIZE : -SEAL], size)
        found, begin = decoded(body, words(number), most_values(len(content), max_bytes))
        blocks = {}
        for name, kind, n in found["arrays"]:
            dtype = checked(_dtype(kind))
            if not 0 <= n <= size - begin or n % dtype.itemsize:
                raise ValueError(f"an array of dtype {dtype} cannot have {n} bytes")
            blocks[name] = np.frombuffer(body, dtype, n // dtype.itemsize, begin)
            begin += n
        if begin != size:
            raise ValueError(f"{size - begin} bytes follow the last array")
    except (CorruptFile, MemoryError):
        raise
    except Exception as problem:
        raise CorruptFile(f"{source} is not a saved state: {explained(problem)}") from problem
    return found, blocks


def _dtype(kind: Any) -> np.dtype:
    if isinstance(kind, str):
        return np.dtype(kind)
    return npy.descr_to_dtype(Reader(names_of(()), {}).value(kind))


def _inflated(content: bytes, size: int) -> bytes:
    """Return the unpacked content; raise ValueError if its size differs from the given size."""
    unpacker = zlib.decompressobj(-15)
    body = unpacker.decompress(content, size + 1)
    if len(body) != size or not unpacker.eof or unpacker.unused_data:
        raise ValueError(f"the content does not expand to the declared {size:,} bytes")
    return body
