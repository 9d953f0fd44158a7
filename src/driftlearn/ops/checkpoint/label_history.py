"""Labels that become known later than they were read, and the labels of learned rows."""

import re
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np

from driftlearn.io import schema

FILE = "file"  # value of the setting ``label_time``: times are in the names of files


class LabelHistory:
    """Time up to which labels are known, and labels by key before and after their use.

    Attributes
    ----------
    now : str
        Time of the newest predicted row, or the digits in the name of the newest file; "" before
        the first file.
    later : list of [time, key, label]
        Labels that were read and become known later.
    keys : ndarray of shape (n,)
        Hashes of the keys of the newest learned rows.
    codes : ndarray of shape (n,)
        Classes with which these rows were learned, as positions in the classes of the record.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "now": schema.word(),
        "later": schema.list_of(schema.list_of(schema.word())),
        "keys": schema.integers("n"),
        "codes": schema.integers("n", least=0),
    }

    def __init__(self) -> None:
        self.now = ""
        self.later: list[list[str]] = []
        self.keys, self.codes = np.zeros((2, 0), dtype=np.int64)

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless each label has a time and a key."""
        if any(len(each) != 3 for each in state["later"]):
            raise schema.InvalidStateError("LabelHistory: a label must be [time, key, label]")

    @property
    def later_keys(self) -> set[str]:
        """Keys of the labels that become known later."""
        return {key for _, key, _ in self.later}

    def pop_known(self) -> list[list[str]]:
        """Remove and return the labels that are known by now, in the order of their times."""
        known = sorted((each for each in self.later if each[0] <= self.now), key=lambda e: e[0])
        if known:
            self.later = [each for each in self.later if each[0] > self.now]
        return known

    def learned(self) -> dict[int, int]:
        """Return the classes of learned rows, by the hashes of their keys."""
        return dict(zip(self.keys.tolist(), self.codes.tolist()))

    def add_learned(self, keys: list[str], codes: np.ndarray, most: int) -> None:
        """Store the labels of the newest learned rows, at most `most`."""
        hashes = np.array([hash_of(key) for key in keys], dtype=np.int64)
        self.keys = np.concatenate([self.keys, hashes])[-most:]
        self.codes = np.concatenate([self.codes, codes])[-most:]


def hash_of(key: str) -> int:
    """Return a hash of a key with 64 bits, which is the same in every process."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big", signed=True)


def time_in_name(file: str) -> str:
    """Return the digits in the name of a file; raise ValueError if there are none.

    Examples
    --------
    >>> time_in_name("orders-2024-01-31.csv.gz")
    '20240131'
    """
    digits = "".join(re.findall(r"[0-9]+", file.partition(".")[0]))
    if not digits:
        hint = "e.g. 2024-01-31.csv"
        raise ValueError(f"{file} has no date in its name, as --label-time file requires, {hint}.")
    return digits
