"""Signed files can be written or changed only with the key."""

import zipfile
from hashlib import sha256

import numpy as np
import pytest

from driftlearn.io import CorruptFile, _files, dumps, load, loads, save

KEY = b"sixteen bytes at"
THING = {"a": np.arange(4.0), "b": "text"}
SIGNED = dumps(THING, key=KEY)


def sealed(content):
    """Return these bytes with a correct checksum."""
    body = content[: -_files.DIGITS]
    return body + sha256(body).hexdigest().encode()


def test_signed_files_are_restored(tmp_path):
    path = tmp_path / "thing.npz"
    for key in (KEY, KEY.decode(), "schlüssel-aus-text", bytes(range(256))):
        save(THING, path, key=key, compress=True)
        assert load(path, key=key)["b"] == "text"
        assert zipfile.ZipFile(path).testzip() is None
    assert dumps(THING, key=KEY) == SIGNED != dumps(THING)


def test_signatures_are_ignored_without_a_key():
    assert loads(SIGNED)["b"] == "text"


def test_files_that_were_not_signed_are_refused_with_a_key(tmp_path):
    save(THING, tmp_path / "thing.npz")
    with pytest.raises(CorruptFile, match=r"thing\.npz is not signed"):
        load(tmp_path / "thing.npz", key=KEY)


@pytest.mark.parametrize("key", [KEY[::-1], KEY + b"!", "another key of text"])
def test_another_key(key):
    with pytest.raises(CorruptFile, match="was not signed with this key"):
        loads(SIGNED, key=key)


def test_every_changed_byte_is_refused_though_the_checksum_is_right(monkeypatch):
    monkeypatch.setattr(_files.json, "loads", lambda text: pytest.fail("the file was read"))
    for k in range(2, len(SIGNED) - _files.DIGITS):
        changed = bytearray(SIGNED)
        changed[k] ^= 1
        with pytest.raises(CorruptFile):
            loads(sealed(bytes(changed)), key=KEY)


def test_signatures_that_are_cut_or_moved():
    end = len(_files.SEAL) + 2 * _files.DIGITS
    seal = SIGNED[-len(_files.SEAL) - _files.DIGITS :]
    for cut in (1, 32, _files.DIGITS, _files.DIGITS + 5):
        with pytest.raises(CorruptFile, match="signed"):
            loads(sealed(SIGNED[: -len(seal) - cut] + seal), key=KEY)
    other = dumps("other", key=KEY)
    moved = other[:-end] + SIGNED[-end : -end + _files.DIGITS] + seal
    with pytest.raises(CorruptFile, match="this key"):
        loads(sealed(moved), key=KEY)


@pytest.mark.parametrize("key", ["", b"", "fifteen letters", b"short"])
def test_keys_that_are_too_short(key):
    for use in (lambda: dumps(1, key=key), lambda: loads(SIGNED, key=key)):
        with pytest.raises(ValueError, match=r"the key must have at least 16 bytes. Got \d+"):
            use()


@pytest.mark.parametrize("key", [12345678901234567890, bytearray(32), ["k"] * 20, True])
def test_keys_of_other_types(key):
    for use in (lambda: dumps(1, key=key), lambda: loads(SIGNED, key=key)):
        with pytest.raises(TypeError, match="the key must be bytes or str"):
            use()
