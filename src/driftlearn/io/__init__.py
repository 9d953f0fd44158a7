"""Save and load fitted learners: arrays and JSON in one zip file, without pickle.

`save` and `load` keep the complete state of a learner: a loaded learner continues training with
bit-identical results. A file is an ``.npz`` archive. `numpy.load` opens its arrays, one per dtype,
and ``document.json`` inside describes which attribute each part belongs to.

Loading a file runs no code from the file. It creates only classes of driftlearn, the classes of
scikit-learn that are on a list, and classes of packages that the caller names with `allow`, by
their own `__setstate__` or `set_state`. The state of driftlearn's and the listed classes is checked
first, so that compiled code cannot be made to read outside of its arrays. The state of classes that
need `allow` is not checked: name a package only for files from people you trust.

A checksum detects every damaged byte. Files can be signed: loading with a `key` verifies that the
file was saved with the same key. SECURITY.md states what is guaranteed.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from driftlearn.io import _small
from driftlearn.io._files import FORMAT, CorruptFile, explained, pack, secret, unpack
from driftlearn.io._graph import Writer
from driftlearn.io._limits import TooMuchWork
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
        arrays, lists, tuples, sets and dicts of these; also ufuncs, regular expressions, sparse
        matrices (csr, csc, coo, dia), frames and series of pandas and polars with plain columns.
        Objects that are shared stay shared. The same state always gives the same bytes.
    compress : bool, default=False
        Whether to compress the file, which makes it smaller and saving slower.
    allow : str or iterable of str, default=()
        Packages, besides driftlearn, whose classes may be saved. Classes of scikit-learn whose
        state can be checked are always allowed (trees and forests, linear models, naive Bayes,
        nearest neighbors, multilayer perceptrons, scalers, pipelines and some more); all others
        need ``allow="sklearn"``.
    key : bytes or str, optional
        Secret of at least 16 bytes with which the content is signed (HMAC-SHA256).

    Returns
    -------
    bytes

    Raises
    ------
    NotAllowed
        If the object contains a class that cannot be saved; the message names its location.

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
        return pack(_class_name(obj), tree, writer.blocks, compress, signing)

    return _packed(obj, names_of(allow), seal)


def dumps_small(obj: Any) -> bytes:
    """Return an object as compact bytes, which are fast to create and readable only by `loads`.

    The state of a key is stored this way. It accepts the objects that `dumps` accepts without
    `allow`. The content is not a file: `numpy.load` cannot open it, it is not signed, and names of
    classes and attributes are positions in a word list. `loads` makes the same checks as for files.

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
        As for `dumps`.

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
    """Return the object stored in the output of `dumps` or `dumps_small`.

    Parameters
    ----------
    content : bytes
        Return value of `dumps`, or content of a file that `save` wrote.
    allow : str or iterable of str, default=()
        Packages, besides driftlearn, whose classes may be loaded; see `dumps`. Loading calls their
        `__setstate__` and constructors with unchecked values from the file: name a package only if
        you trust the author of the file.
    max_bytes : int, optional
        Largest size of the unpacked content. The default is 256 MB, or fifty times the size of
        the file if that is more.
    max_work : int, optional
        Largest value in a file of any parameter that determines how much work or memory later
        calls take (members, epochs, rows of a window, threads). The default is ten million; less
        where a unit costs more, such as ten thousand members; and 4 GB for `max_bytes` of a
        Hoeffding tree.
    key : bytes or str, optional
        Secret with which the file was signed. A file that is not signed, or was signed with
        another key, is rejected before anything in it is read. Without a key, signatures are
        ignored.

    Raises
    ------
    CorruptFile
        If a byte was changed or is missing, the content is something else, it needs more memory
        or work than `max_bytes` and `max_work` allow, or the signature does not match the key.
    NotAllowed
        If the content names a class that may not be loaded.
    ImportError
        If a class or its package does not exist in the installed versions.

    Examples
    --------
    >>> from driftlearn import StumpClassifier
    >>> content = dumps(StumpClassifier().fit([[1], [2], [3]], ["a", "a", "b"]))
    >>> loads(content).predict([[5]]).tolist()
    ['b']
    >>> loads(content[:-1])
    Traceback (most recent call last):
    driftlearn.io.CorruptFile: the content is truncated, or ...
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
    """Save an object to a file atomically.

    If the process is killed, the file has either its new or its old content, never a part of it.

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
    """Load an object from a file that `save` wrote.

    Parameters
    ----------
    path : path
        The file.
    allow, max_bytes, max_work, key
        As for `loads`.

    Raises
    ------
    CorruptFile, NotAllowed, ImportError
        As for `loads`; the message names the file.

    Examples
    --------
    See `save`.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"{path} is a folder, not a model file. For a state folder, use "
            "driftlearn.ops.checkpoint.SavedModel.open."
        )
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
    if not content.startswith(_small.MAGIC):
        document, blocks = unpack(content, source, max_bytes, signed)
    elif signed is None:
        document, blocks = _small.unpack(content, source, max_bytes)
    else:
        raise CorruptFile(
            f"{source} is a small state, and small states are never signed: omit the key"
        )
    return _rebuilt(document, blocks, source, allow, max_work)


def _rebuilt(
    document: dict[str, Any],
    blocks: dict[str, Any],
    source: str,
    allow: str | Iterable[str],
    max_work: int | None,
) -> Any:
    if not (max_work is None or (isinstance(max_work, int) and max_work > 0)):
        raise ValueError(f"max_work must be a positive int or None. Got {max_work!r}.")
    made_by = document.get("made_by")
    made_by = made_by if isinstance(made_by, dict) else {}
    is_old = document["format"] < FORMAT
    try:
        return Reader(names_of(allow), blocks, max_work, is_old).read(document["tree"])
    except (MemoryError, Warning):
        raise
    except TooMuchWork as problem:
        raise CorruptFile(f"{source} cannot be loaded: {problem}") from problem
    except Exception as problem:
        if is_old:
            raise CorruptFile(
                f"{source} was made by driftlearn {made_by.get('driftlearn')} in format "
                f"{document['format']}, and this version, {__version__}, cannot read all of it "
                f"({explained(problem)}). Load it with the version that made it, or train again."
            ) from problem
        if isinstance(problem, NotAllowed | ImportError):
            raise type(problem)(f"{source} cannot be loaded: {problem}") from problem
        raise CorruptFile(
            f"{source} does not describe a valid object. {explained(problem)}. "
            f"It was made by {made_by!s:.200}."
        ) from problem


def _packed(obj: Any, names: Names, seal: Callable[[Any, Writer], Any]) -> Any:
    writer = Writer(names)
    locked = getattr(obj, "_locked", nullcontext)  # another thread may be training the learner
    try:
        with locked():
            tree = writer.value(obj)
        return seal(tree, writer)
    except RecursionError:
        raise ValueError(f"{_class_name(obj)} is nested too deeply to be saved") from None


def _class_name(obj: Any) -> str:
    return f"{type(obj).__module__}:{type(obj).__qualname__}"
