"""Bounds on the dtypes, sizes and counts in files whose content is not trusted.

A file declares the sizes of its parts, and a crafted file may declare any size. Declared sizes are
compared with the size of the file before memory is allocated. Only numbers of a closed list of
dtypes are created from bytes: an *object* array created from bytes would be a list of addresses.
"""

from typing import Any

import numpy as np

from driftlearn.utils.arguments import check_integer

# Compressed files expand when read: zeros by a factor of 1000, JSON by 10. Expanding to MEMORY
# bytes is harmless; beyond this size, the factor may be at most GROWTH, which is more than learners
# need.
MEMORY = 2**28
GROWTH = 50
# A JSON value takes about 100 bytes in memory: 4 million values take half a gigabyte.
VALUES = 2**22
VALUES_A_BYTE = 4
ITEM = 2**24  # bytes per array entry: a string of 4 million characters
KINDS = "biufcSUMm"  # bool, integers, floats, complex, bytes, strings, dates, durations
INTEGER_BITS = 2**20  # arithmetic with longer integers takes minutes
POOL = 64  # maximum words in the pool of a SeedSequence; NumPy's default is 4
POSITIONS = {"MT19937": ("pos", 624), "Philox": ("buffer_pos", 4)}  # key and largest read position


# Some parameters determine how much work later calls do, and a crafted file may contain any value.
# These limits are far above what learners need. Each unit of a parameter in LIMITS costs a model, a
# pass over the rows or a thread; each unit of any other costs a stored row or number.
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


class TooMuchWork(ValueError):
    """Error for a parameter in a file that requires more work than the limit."""


def check_work(owner: str, parameters: dict[str, Any], max_work: int | None) -> None:
    """Raise `TooMuchWork` if a parameter requires more work than files may require.

    Examples
    --------
    >>> check_work("Learner", {"n_estimators": 2**31}, None)
    Traceback (most recent call last):
    driftlearn.io._limits.TooMuchWork: 'n_estimators' of Learner is 2147483648, above the limit ...
    """
    for name, value in parameters.items():
        if type(value) in HARMLESS:
            continue
        if name[-1:] == "_" or name[:1] == "_" or name == "random_state":
            continue
        most = max(LIMITS.get(name, WORK), max_work or 0)
        for each in value if type(value) in (list, tuple) else (value,):
            if isinstance(each, NUMBER) and each > most:
                raise TooMuchWork(
                    f"{name!r} of {owner} is {each}, above the limit of {most:,} for files. If you "
                    f"trust the file, set max_work={each}."
                )


def check_size(size: int, file_size: int, max_bytes: int | None, source: str) -> None:
    """Raise ValueError if the unpacked parts of a file are larger than allowed."""
    most = max(MEMORY, GROWTH * file_size) if max_bytes is None else max_bytes
    if size > most:
        raise ValueError(
            f"{source} has {file_size:,} bytes and would expand to {size:,} bytes, above the limit "
            f"of {most:,}. If you trust the file, set max_bytes={size}."
        )


def most_values(file_size: int, max_bytes: int | None) -> int:
    """Return the maximum number of values in the document of a file of this size."""
    return max(VALUES, VALUES_A_BYTE * file_size, (max_bytes or 0) // 100)


def check_values(text: bytes, file_size: int, max_bytes: int | None) -> None:
    """Raise ValueError if a JSON document may have more values than allowed."""
    n = sum(text.count(sign) for sign in (b",", b"[", b"{"))
    most = most_values(file_size, max_bytes)
    if n > most:
        raise ValueError(f"the document has up to {n:,} values, above the limit of {most:,}")


def plain(dtype: np.dtype) -> bool:
    """Return whether a dtype consists of numbers, strings and dates, or of fields of these.

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
    """Return a dtype if it is plain; raise ValueError for any other."""
    if not plain(dtype):
        raise ValueError(f"arrays of dtype {dtype!r:.80} cannot be created from bytes")
    return dtype


def integer(digits: Any) -> int:
    """Return the integer with these hexadecimal digits."""
    if not isinstance(digits, str) or 4 * len(digits) > INTEGER_BITS:
        raise ValueError(f"an integer must be a string of at most {INTEGER_BITS // 4} digits")
    return int(digits, 16)


def check_bits(name: str, state: Any) -> None:
    """Raise ValueError if a bit generator in this state would read outside of its buffer."""
    if name in POSITIONS:
        key, most = POSITIONS[name]
        inside = state if key in state else state["state"]
        check_integer(f"{key!r} of {name}", inside[key], 0, most)
    if name == "MT19937" and np.shape(state["state"]["key"]) != (624,):
        raise ValueError("the key of MT19937 must have 624 words")


def check_pool(size: Any) -> None:
    """Raise ValueError if the pool of a SeedSequence is too large."""
    check_integer("'pool_size'", size, 1, POOL)
