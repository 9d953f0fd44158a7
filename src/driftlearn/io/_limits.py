"""What a file may ask for before anything in it is believed: kinds of numbers, sizes, counts.

A file says how large its parts are, and a crafted one lies. So sizes are compared with the file's
own before memory is taken, and only numbers of a closed list of kinds are made from bytes: an
array of *objects* made so would be a list of addresses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Compressed files grow when they are read: zeros a thousand times, JSON ten times. What grows to
# less than ROOM is no danger to anybody; beyond, a factor of GROWTH is more than learners need.
ROOM = 2**28
GROWTH = 50
# A JSON value takes a hundred bytes or so once read: four million are half a gigabyte.
VALUES = 2**22
VALUES_A_BYTE = 4
ITEM = 2**24  # bytes of one entry of an array: a string of four million characters
KINDS = "biufcSUMm"  # bool, integers, floats, complex, bytes, text, dates, durations
INTEGER_BITS = 2**20  # arithmetic with longer ones takes minutes
POOL = 64  # words of a seed's pool, of which NumPy uses 4
POSITIONS = {"MT19937": ("pos", 624), "Philox": ("buffer_pos", 4)}  # where it reads next, at most


# Parameters say how much work later calls do, and a crafted file says much. These are far more than
# learners need: each unit of the named ones costs a model, a pass over the rows or a thread, each
# of all others a row or a number that is kept.
WORK = 10**7
NUMBER = (int, np.integer)
HARMLESS = (float, str, bool, type(None), np.ndarray, dict)
LIMITS = {
    "buffer_size": 10_000,
    "epochs": 1_000,
    "hidden_layer_size": 10_000,
    "hidden_layer_sizes": 10_000,
    "max_bytes": 2**32,
    "max_iter": 100_000,
    "max_retries": 1_000,
    "n_estimators": 10_000,
    "n_folds": 1_000,
    "n_jobs": 1_000,
    "n_per_block": 1_000,
    "n_per_chunk": 1_000,
    "n_permutations": 10_000,
    "n_updates": 1_000,
    "order": 1_000,
    "sample_size": 1_000_000,
}


class TooMuch(ValueError):
    """A parameter of a file asks for more work than it may."""


def check_work(owner: str, parameters: dict[str, Any], max_work: int | None) -> None:
    """Raise `TooMuch` if a parameter asks for more work than a file may ask for.

    Examples
    --------
    >>> check_work("Learner", {"n_estimators": 2**31}, None)
    Traceback (most recent call last):
    driftlearn.io._limits.TooMuch: n_estimators of a Learner is 2147483648, more work than ...
    """
    for name, value in parameters.items():
        if type(value) in HARMLESS:
            continue
        if name[-1:] == "_" or name[:1] == "_" or name == "random_state":
            continue
        most = max(LIMITS.get(name, WORK), max_work or 0)
        for each in value if type(value) in (list, tuple) else (value,):
            if isinstance(each, NUMBER) and each > most:
                raise TooMuch(
                    f"{name} of a {owner} is {each}, more work than the {most:,} that a file may "
                    f"ask for; if you trust it, say max_work={each}"
                )


def check_size(size: int, file_size: int, max_bytes: int | None, source: str) -> None:
    """Raise ValueError if the parts of a file are larger, unpacked, than they may be."""
    most = max(ROOM, GROWTH * file_size) if max_bytes is None else max_bytes
    if size > most:
        raise ValueError(
            f"{source} has {file_size:,} bytes and would take {size:,} unpacked, more than the "
            f"{most:,} that are allowed; if you trust it, say max_bytes={size}"
        )


def most_values(file_size: int, max_bytes: int | None) -> int:
    """Return how many values the document of a file of this size may have."""
    return max(VALUES, VALUES_A_BYTE * file_size, (max_bytes or 0) // 100)


def check_values(text: bytes, file_size: int, max_bytes: int | None) -> None:
    """Raise ValueError if a JSON document may have more values than its file can account for."""
    n = sum(text.count(sign) for sign in (b",", b"[", b"{"))
    most = most_values(file_size, max_bytes)
    if n > most:
        raise ValueError(f"a document of up to {n:,} values, more than the {most:,} allowed")


def plain(dtype: np.dtype) -> bool:
    """Tell whether a dtype is made of plain numbers, texts and dates, or of fields of these.

    Examples
    --------
    >>> [plain(np.dtype(kind)) for kind in (">f4", "O", "f8,i2", [("a", "O")])]
    [True, False, True, False]
    """
    if dtype.hasobject or dtype.itemsize > ITEM:
        return False
    if dtype.fields is not None:
        return all(plain(field[0]) for field in dtype.fields.values())
    base = dtype.base
    return base.kind in KINDS if base.fields is None else plain(base)


def checked(dtype: np.dtype) -> np.dtype:
    """Return a dtype if it is a plain one; raise ValueError for any other."""
    if not plain(dtype):
        raise ValueError(f"numbers of dtype {dtype!r:.80} are not made from bytes")
    return dtype


def integer(digits: Any) -> int:
    """Return the integer that these hexadecimal digits stand for."""
    if not isinstance(digits, str) or 4 * len(digits) > INTEGER_BITS:
        raise ValueError("an integer of more digits than any number here has")
    return int(digits, 16)


def check_bits(name: str, state: Any) -> None:
    """Raise ValueError if the state of a bit generator would have it read outside of itself."""
    if name in POSITIONS:
        key, most = POSITIONS[name]
        inside = state if key in state else state["state"]
        if not (isinstance(inside[key], int) and 0 <= inside[key] <= most):
            raise ValueError(f"a {name} that stands at {inside[key]!r:.20}")
    if name == "MT19937" and np.shape(state["state"]["key"]) != (624,):
        raise ValueError("an MT19937 whose key has not 624 words")


def check_pool(size: Any) -> None:
    """Raise ValueError if the pool of a seed is larger than any that is used."""
    if not isinstance(size, int) or not 1 <= size <= POOL:
        raise ValueError(f"a seed with a pool of {size!r:.20} words")
