"""What every source can do, and which one a name stands for."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from driftlearn.ops.sources.files import FileSource
from driftlearn.ops.sources.log_source import LogSource
from driftlearn.ops.sources.server import is_server, names_server
from driftlearn.tables.files import Piece, Position


class Source(Protocol):
    """Where rows come from.

    Attributes
    ----------
    names : list of str
        What was asked for, without passwords.
    numbers : collection of str
        Columns that are to be read as numbers, where text is read.
    verified : dict
        How things looked when they were read to their end; JSON.
    tell : callable
        Takes a sentence for whoever watches, as that a server does not answer.
    """

    names: list[str]
    numbers: Collection[str]
    verified: dict[str, list[Any]]
    tell: Callable[[str], None]

    def pieces(self, position: Mapping[str, Position]) -> Iterator[Piece]:
        """Yield the rows that a position, by path, does not have yet."""

    def check(self, position: Mapping[str, Position]) -> None:
        """Raise unless all can be read, and what was read is what it was."""

    def moved(self, position: Mapping[str, Position], renamed: bool = False) -> dict[str, str]:
        """Return where what lies somewhere else now was read, by path."""

    def settled(self, position: Mapping[str, Position]) -> None:
        """Take note that whoever reads has kept a position for good."""

    def close(self) -> None:
        """Let go of what is open."""


def source_of(
    names: Sequence[str],
    *,
    sep: str | None = None,
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
    skip: bool = False,
    follow: bool = False,
) -> Source:
    """Return the source of files, or of what servers hold, by the scheme of the names.

    Parameters
    ----------
    names : sequence of str
        Files, folders, globs and ``"-"``, or ``redis://HOST:6379/STREAM``,
        ``kafka://HOST:9092/TOPIC`` and ``nats://HOST:4222/STREAM``; not both at a time.
    sep, encoding, missing, skip, follow
        As in `FileSource`.

    Examples
    --------
    >>> type(source_of(["days/"])).__name__
    'FileSource'
    >>> source_of(["redis://:secret@127.0.0.1/clicks"]).names
    ['redis://127.0.0.1:6379/clicks']
    >>> source_of(["mqtt://127.0.0.1/clicks"])
    Traceback (most recent call last):
    ...
    ValueError: mqtt://127.0.0.1/clicks: rows come from redis:// or rediss://HOST:6379/STREAM, ...
    """
    form: dict[str, Any] = {"encoding": encoding, "missing": missing}
    how: dict[str, Any] = {"skip": skip, "follow": follow}
    served = [name for name in names if is_server(name)]
    if not served:
        return FileSource(names, sep=sep, **form, **how)
    if len(served) < len(names):
        raise ValueError(
            f"files and {urlsplit(served[0]).scheme}:// cannot be read in one run: learn one after "
            "the other, with the same --state"
        )
    return LogSource([names_server(name) for name in names], **form, **how)


def forget(name: str, position: dict[str, Position]) -> bool:
    """Take a file, a stream, or a topic with all its partitions, out of a position, if it is there.

    Examples
    --------
    >>> position = {"kafka://127.0.0.1:9092/clicks#0": {}, "kafka://127.0.0.1:9092/clicks#1": {}}
    >>> forget("kafka://127.0.0.1/clicks", position), position
    (True, {})
    """
    if not is_server(name):
        return position.pop(os.path.realpath(name), None) is not None
    partition = urlsplit(name).fragment
    path = names_server(name).shown + (f"#{partition}" if partition else "")
    found = [each for each in position if each == path or each.startswith(f"{path}#")]
    for each in found:
        del position[each]
    return bool(found)
