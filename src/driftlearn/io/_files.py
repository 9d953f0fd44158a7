"""Model files: an npz archive with a checksum, and optionally a signature."""

import hmac
import io
import json
import os
import zipfile
from functools import cache
from hashlib import sha256
from platform import python_version
from typing import Any

import numpy as np
from numpy.lib import format as npy

from driftlearn.io._codec import Piece
from driftlearn.io._limits import check_size, check_values, checked
from driftlearn.io.schema import an
from driftlearn.utils.show_versions import installed
from driftlearn.utils.version import __version__

FORMAT = 3  # version of the document format; see _upgrades
DOCUMENT = "document.json"
SEAL = b"sha256="
SIGN = b"hmac-sha256="
DIGITS = 64
KEY_BYTES = 16  # minimum length; shorter keys can be found by brute force


class CorruptFile(ValueError):
    """Error for a file that is damaged, truncated, or was not saved by driftlearn."""

    __module__ = "driftlearn.io"


def pack(
    kind: str,
    tree: Any,
    blocks: dict[str, tuple[np.dtype, list[bytes]]],
    compress: bool,
    key: bytes | None = None,
) -> bytes:
    """Return an npz file with the document and an ``.npy`` entry for each long array.

    The archive's comment ends with a seal: the SHA-256 of every byte before its digits. With a key
    a signature precedes the seal: the HMAC of every byte before the digits of the signature.
    """
    document = {"format": FORMAT, "kind": kind, "made_by": versions(), "tree": tree}
    text = json.dumps(document, separators=(",", ":"), allow_nan=False, default=Piece.node)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        _add(archive, DOCUMENT, text.encode("ascii"), compress)
        for name, (dtype, parts) in blocks.items():
            head = io.BytesIO()
            n = sum(map(len, parts)) // max(dtype.itemsize, 1)
            about = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": (n,)}
            npy.write_array_header_2_0(head, about)
            _add(archive, f"{name}.npy", b"".join([head.getvalue(), *parts]), compress)
        signature = b"" if key is None else SIGN + b"0" * DIGITS
        archive.comment = signature + SEAL + b"0" * DIGITS
    if key is not None:
        end = len(SEAL) + 2 * DIGITS
        out.seek(-end, os.SEEK_END)
        out.write(_signature(out.getvalue()[:-end], key))
    digest = sha256(out.getbuffer()[:-DIGITS]).hexdigest()
    out.seek(-DIGITS, os.SEEK_END)
    out.write(digest.encode("ascii"))
    return out.getvalue()


def secret(key: bytes | str | None) -> bytes | None:
    """Return a key as bytes; raise an error if it is too short.

    Examples
    --------
    >>> secret("abc")
    Traceback (most recent call last):
    ValueError: the key must have at least 16 bytes. Got 3. Make one with secrets.token_hex().
    """
    if key is None:
        return None
    if not isinstance(key, bytes | str):
        raise TypeError(f"the key must be bytes or str. Got {an(type(key).__name__)}.")
    key = key.encode() if isinstance(key, str) else key
    if len(key) < KEY_BYTES:
        raise ValueError(
            f"the key must have at least {KEY_BYTES} bytes. Got {len(key)}. Make one with "
            "secrets.token_hex()."
        )
    return key


def _signature(content: bytes, key: bytes) -> bytes:
    return hmac.new(key, content, sha256).hexdigest().encode("ascii")


def _add(archive: zipfile.ZipFile, name: str, content: bytes, compress: bool) -> None:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED)


def unpack(
    content: bytes, source: str, max_bytes: int | None = None, key: bytes | None = None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the document and the long arrays of a file.

    With a key, the archive is not opened until its signature has been verified.

    Raises
    ------
    CorruptFile
        If the file is damaged, too large, not signed with the key, or of a newer format.
    """
    _check_seal(content, source)
    if key is not None:
        _check_signature(content, source, key)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            check_size(size, len(content), max_bytes, source)
            text = archive.read(DOCUMENT)
            check_values(text, len(content), max_bytes)
            document = json.loads(text)
            number = document["format"]
            if number > FORMAT:
                raise CorruptFile(
                    f"{source} was saved by a newer version of driftlearn "
                    f"({document['made_by']['driftlearn']}, format {number}). This version, "
                    f"{__version__}, reads formats up to {FORMAT}."
                )
            blocks = {
                name[:-4]: _long_array(archive.read(name))
                for name in archive.namelist()
                if name.endswith(".npy")
            }
    except (CorruptFile, MemoryError):
        raise
    except Exception as problem:
        raise CorruptFile(f"{source} is not a model file: {explained(problem)}") from problem
    return document, blocks


def explained(problem: Exception) -> str:
    """Return the message of an unexpected error, limited in length."""
    return f"{type(problem).__name__}: {problem!s:.500}".rstrip(".")


def _long_array(content: bytes) -> np.ndarray:
    """Return the array of an ``.npy`` entry, which must be one-dimensional and of plain numbers."""
    head = io.BytesIO(content)
    major, _ = npy.read_magic(head)
    read = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
    shape, _, dtype = read(head)
    data = memoryview(content)[head.tell() :]
    if len(shape) != 1 or shape[0] * checked(dtype).itemsize != len(data):
        raise ValueError(f"an array of shape {shape} and dtype {dtype} has {len(data)} bytes")
    return np.frombuffer(data, dtype) if shape[0] else np.empty(0, dtype)


def _check_seal(content: bytes, source: str) -> None:
    if not content:
        raise CorruptFile(f"{source} is empty")
    if not content.startswith(b"PK"):
        raise CorruptFile(
            f"{source} was not saved by driftlearn, or its start is damaged. Name a file that "
            "model.save(path) wrote."
        )
    if content[-DIGITS - len(SEAL) : -DIGITS] != SEAL:
        raise CorruptFile(
            f"{source} is truncated, or was not saved by driftlearn: it has no checksum"
        )
    digest = sha256(memoryview(content)[:-DIGITS]).hexdigest()
    if digest.encode("ascii") != content[-DIGITS:]:
        raise CorruptFile(f"{source} is damaged: its checksum does not match")


def _check_signature(content: bytes, source: str, key: bytes) -> None:
    end = len(SEAL) + 2 * DIGITS
    if content[-end - len(SIGN) : -end] != SIGN:
        raise CorruptFile(f"{source} is not signed: save it with a key, or load it without one")
    signature = content[-end : -end + DIGITS]
    if not hmac.compare_digest(_signature(content[:-end], key), signature):
        raise CorruptFile(f"{source} was not signed with this key, or was modified after signing")


@cache
def versions() -> dict[str, str | None]:
    """Return the versions that a file records: driftlearn, Python, NumPy, scikit-learn."""
    found: dict[str, str | None] = {"driftlearn": __version__, "python": python_version()}
    return found | {name: installed(name) for name in ("numpy", "scikit-learn")}
