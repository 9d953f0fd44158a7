"""Fitted learners as files: arrays and JSON in one zip, no pickle.

`save` and `load` keep everything a learner knows, so that one that was saved and loaded goes on
learning exactly, to the last bit, as if nothing had happened. A file is an ``.npz`` archive:
`numpy.load` opens its arrays, one for every dtype, and ``document.json`` inside says which piece
of them is what.

Loading a file runs no code that the file brings along. Only classes of driftlearn, those of
scikit-learn that are on a list, and those of packages that the caller names with `allow` are made,
by their own `__setstate__` or `set_state`. What a file says of ours and of the listed ones is
checked first, so far that compiled code cannot be led astray; what it says of classes that need
`allow` is not, so name a package only for files from people you trust. A checksum finds every
damaged byte. For files from outside there is a signature: whoever saves with a `key` and loads
with the same `key` loads nothing that somebody without it made or changed. SECURITY.md says what
is promised.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.io import _small
from driftlearn.io._files import FORMAT, CorruptFile, pack, secret, unpack
from driftlearn.io._graph import Writer
from driftlearn.io._limits import TooMuch
from driftlearn.io._names import Names, NotAllowed, names_of
from driftlearn.io._rebuild import Reader
from driftlearn.utils.atomic_files import atomic_write, sweep
from driftlearn.utils.version import __version__

__all__ = [
    "CorruptFile",
    "NotAllowed",
    "atomic_write",
    "dumps",
    "dumps_small",
    "load",
    "loads",
    "save",
    "sweep",
]


def dumps(
    obj: Any,
    *,
    compress: bool = False,
    allow: str | Iterable[str] = (),
    key: bytes | str | None = None,
) -> bytes:
    """Return an object as the content of a file.

    Parameters
    ----------
    obj : object
        A learner, fitted or not; a drift detector, a stream, a result; or numbers, strings,
        arrays, lists, tuples, sets and dicts of such; also ufuncs, regular expressions, sparse
        matrices (csr, csc, coo, dia), frames and series of pandas and polars with plain columns.
        What is shared in it stays shared. The same state always gives the same bytes.
    compress : bool, default=False
        Make the file smaller, and saving slower.
    allow : str or iterable of str, default=()
        Packages, besides driftlearn, whose classes may be saved. Of scikit-learn those that can
        be checked need not be allowed (trees and forests, linear models, naive Bayes, neighbours,
        multilayer perceptrons, scalers, pipelines and some more); all others need
        ``allow="sklearn"``.
    key : bytes or str, optional
        A secret of at least 16 bytes with which the content is signed (HMAC-SHA256).

    Returns
    -------
    bytes

    Raises
    ------
    NotAllowed
        If something in it has a class that is not saved; the message says where it is.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(7)
    >>> both = loads(dumps({"rng": rng, "again": rng}))
    >>> both["rng"] is both["again"], bool(both["rng"].random() == rng.random())
    (True, True)
    >>> dumps({"how": print})
    Traceback (most recent call last):
    driftlearn.io.NotAllowed: builtins:builtin_function_or_method is not a class ...
    """
    signing = secret(key)

    def seal(tree: Any, writer: Writer) -> bytes:
        return pack(_kind(obj), tree, writer.blocks, compress, signing)

    return _packed(obj, names_of(allow), seal)


def dumps_small(obj: Any) -> bytes:
    """Return an object as few bytes, fast, for `loads` alone.

    What `dumps` takes without `allow` is turned into a content that is no file: `numpy.load` does
    not open it, it is not signed, and names of classes and attributes are places in a list. The
    state of a key is kept so. `loads` makes the same object of it, after the same checks.

    Parameters
    ----------
    obj : object
        As for `dumps`. The same state always gives the same bytes.

    Returns
    -------
    bytes

    Raises
    ------
    NotAllowed
        As `dumps` does.

    Examples
    --------
    >>> from driftlearn.drift import ADWIN
    >>> content = dumps_small(ADWIN())
    >>> len(content) < len(dumps(ADWIN(), compress=True)) / 4
    True
    >>> loads(content).delta
    0.002
    """
    return _packed(obj, names_of(()), _small.pack)


def loads(
    content: bytes,
    *,
    allow: str | Iterable[str] = (),
    max_bytes: int | None = None,
    max_work: int | None = None,
    key: bytes | str | None = None,
) -> Any:
    """Return the object that `dumps` made these bytes of.

    Parameters
    ----------
    content : bytes
        What `dumps` returned, or what is in a file that `save` wrote.
    allow : str or iterable of str, default=()
        Packages, besides driftlearn, whose classes may be loaded; see `dumps`. Loading calls
        their `__setstate__`, constructors and the like with what the file says, unchecked: whoever
        names a package trusts the maker of the file.
    max_bytes : int, optional
        The most that the parts of a compressed file may take unpacked. By default 256 MB, or
        fifty times the file's own size where that is more.
    max_work : int, optional
        The largest value that a parameter which says how much work or memory later calls take
        (members, epochs, rows of a window, threads) may have in a file; one number for all of
        them. By default ten million, less where a unit costs more, such as ten thousand members,
        and 4 GB for `max_bytes` of a Hoeffding tree.
    key : bytes or str, optional
        The secret with which it was signed. A file that is not signed, or was signed with another
        key, is refused before anything in it is read. Without a key a signature is not looked at.

    Raises
    ------
    CorruptFile
        If a byte was changed or is missing, these bytes are something else, more memory or work
        is asked for than `max_bytes` and `max_work` allow, or the key is not that of the
        signature.
    NotAllowed
        If a class is named that may not be loaded.
    ImportError
        If a class or its package is not there, in the versions installed here.

    Examples
    --------
    >>> from driftlearn import StumpClassifier
    >>> content = dumps(StumpClassifier().fit([[1], [2], [3]], ["a", "a", "b"]))
    >>> loads(content).predict([[5]]).tolist()
    ['b']
    >>> loads(content[:-1])
    Traceback (most recent call last):
    driftlearn.io.CorruptFile: the content is cut short, or ...
    """
    return _loaded(bytes(content), "the content", allow, max_bytes, max_work, key)


def save(
    obj: Any,
    path: str | os.PathLike[str],
    *,
    compress: bool = False,
    allow: str | Iterable[str] = (),
    key: bytes | str | None = None,
) -> None:
    """Save an object to a file, at one stroke.

    Whenever the process is killed, the file holds the object or what it held before.

    Parameters
    ----------
    obj, compress, allow, key
        As for `dumps`.
    path : path
        The file; its folder must exist.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from driftlearn import DTELClassifier
    >>> from driftlearn.streams import SEA
    >>> first, second = SEA(n_rows=500, random_state=0).chunks(250)
    >>> model = DTELClassifier().partial_fit(first.X, first.y)
    >>> with TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.npz")
    ...     copy = load(f"{folder}/model.npz")
    >>> for one in (model, copy):
    ...     _ = one.partial_fit(second.X, second.y)
    >>> bool((model.predict_proba(first.X) == copy.predict_proba(first.X)).all())
    True
    """
    atomic_write(path, dumps(obj, compress=compress, allow=allow, key=key))


def load(
    path: str | os.PathLike[str],
    *,
    allow: str | Iterable[str] = (),
    max_bytes: int | None = None,
    max_work: int | None = None,
    key: bytes | str | None = None,
) -> Any:
    """Load what `save` saved.

    Parameters
    ----------
    path : path
        The file.
    allow, max_bytes, max_work, key
        As for `loads`.

    Raises
    ------
    CorruptFile, NotAllowed, ImportError
        As `loads` does; the message names the file.

    Examples
    --------
    See `save`.
    """
    return _loaded(Path(path).read_bytes(), os.fspath(path), allow, max_bytes, max_work, key)


def _loaded(
    content: bytes,
    source: str,
    allow: str | Iterable[str],
    max_bytes: int | None,
    max_work: int | None,
    key: bytes | str | None,
) -> Any:
    signed = secret(key)
    if content.startswith(_small.MAGIC):
        if signed is not None:
            raise CorruptFile(f"{source} is a state, which is never signed: load it without a key")
        document, blocks = _small.unpack(content, source, max_bytes)
    else:
        document, blocks = unpack(content, source, max_bytes, signed)
    return _rebuilt(document, blocks, source, allow, max_work)


def _rebuilt(
    document: dict[str, Any],
    blocks: dict[str, np.ndarray],
    source: str,
    allow: str | Iterable[str],
    max_work: int | None,
) -> Any:
    made_by = document.get("made_by")
    made_by = made_by if isinstance(made_by, dict) else {}
    names = names_of(allow)
    if not (max_work is None or (isinstance(max_work, int) and max_work > 0)):
        raise ValueError(f"max_work is a whole number above 0, or None; got {max_work!r}")
    try:
        return Reader(names, blocks, max_work, document["format"] < FORMAT).read(document["tree"])
    except (MemoryError, Warning):
        raise
    except TooMuch as problem:
        raise CorruptFile(f"{source} is not loaded: {problem}") from problem
    except Exception as problem:
        if document["format"] < FORMAT:
            raise CorruptFile(
                f"{source} was made by driftlearn {made_by.get('driftlearn')} in format "
                f"{document['format']}, of which this version, {__version__}, cannot read all: "
                "load it with the version that made it, or train the learner anew"
            ) from problem
        if isinstance(problem, NotAllowed | ImportError):
            raise type(problem)(f"{source} is not loaded: {problem}") from problem
        raise CorruptFile(
            f"{source} does not describe an object that can be rebuilt here: {problem!r:.500}; it "
            f"was made by {made_by!s:.200}"
        ) from problem


def _packed(obj: Any, names: Names, seal: Callable[[Any, Writer], bytes]) -> bytes:
    writer = Writer(names)
    lock = getattr(obj, "_locked", nullcontext)  # another thread may be training the learner
    try:
        with lock():
            tree = writer.value(obj)
        return seal(tree, writer)
    except RecursionError:
        raise ValueError(f"{_kind(obj)} is nested too deeply to be saved") from None


def _kind(obj: Any) -> str:
    return f"{type(obj).__module__}:{type(obj).__qualname__}"
