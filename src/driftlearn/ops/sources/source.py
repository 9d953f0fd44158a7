"""Sources of rows, and the choice of a source by names."""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from driftlearn.ops.sources.server import is_server, names_server
from driftlearn.tables.files import Piece, Position

STANDARD_INPUT = "-"
WAIT = 1.0  # seconds between two checks for new rows


class Source(ABC):
    """Rows of files or servers, read from a position on.

    Parameters
    ----------
    names : list of str
        Names of files, or addresses without passwords.
    skip : bool
        Whether malformed rows are skipped.
    follow : bool
        Whether to wait for more rows; if not, it ends with those that exist at the start.

    Attributes
    ----------
    numbers : collection of str
        Columns to parse as numbers, where text is read.
    verified : dict
        What files looked like when they were read to their end; JSON.
    tell : callable
        Receives messages, for example that a server does not respond.
    """

    def __init__(self, names: list[str], skip: bool, follow: bool):
        self.names, self.skip, self.follow = names, skip, follow
        self.numbers: Collection[str] = ()
        self.verified: dict[str, list[Any]] = {}
        self.tell: Callable[[str], None] = lambda _: None

    def pieces(self, position: Mapping[str, Position]) -> Iterator[Piece]:
        """Yield the rows after a position, which has an entry for each path.

        With `follow` it never ends, and a piece without a path reports that there are no more
        rows at the moment.
        """
        given = {path: at for path, at in position.items() if at}
        while True:
            yield from self._new_pieces(given)
            if not self.follow or self.names == [STANDARD_INPUT]:
                return
            yield Piece({}, 0, "", "", 0, lambda _: {})
            time.sleep(WAIT)

    @abstractmethod
    def _new_pieces(self, given: dict[str, Position]) -> Iterator[Piece]:
        """Yield the rows after a position that exist now; update the position."""

    @abstractmethod
    def check(self, position: Mapping[str, Position]) -> None:
        """Raise unless everything can be read, and rows before the position are unchanged."""

    @abstractmethod
    def moved(self, position: Mapping[str, Position], renamed: bool = False) -> dict[str, str]:
        """Return the former paths of moved files or logs, by path.

        They have the same name as before, or, with `renamed`, any name.
        """

    def settled(self, position: Mapping[str, Position]) -> None:  # noqa: B027
        """Report to servers that a position is saved."""

    def close(self) -> None:  # noqa: B027
        """Close all connections."""


def source_of(
    names: Sequence[str],
    *,
    sep: str | None = None,
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
    skip: bool = False,
    follow: bool = False,
) -> Source:
    """Return the source of files, or of streams and topics at servers.

    Parameters
    ----------
    names : sequence of str
        Files, folders, globs and ``"-"``, or ``redis://HOST:6379/STREAM``,
        ``kafka://HOST:9092/TOPIC`` and ``nats://HOST:4222/STREAM``; files and addresses cannot be
        combined.
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
    how: dict[str, Any] = {
        "encoding": encoding, "missing": missing, "skip": skip, "follow": follow,
    }  # fmt: skip
    addresses = [name for name in names if is_server(name)]
    if not addresses:
        from driftlearn.ops.sources.files import FileSource

        return FileSource(names, sep=sep, **how)
    if len(addresses) < len(names):
        raise ValueError(
            f"files and {urlsplit(addresses[0]).scheme}:// cannot be read in one run: learn one "
            "after the other, with the same --state"
        )
    from driftlearn.ops.sources.log_source import LogSource

    return LogSource([names_server(name) for name in names], **how)


def forget(name: str, position: dict[str, Position]) -> bool:
    """Remove a file, a stream, or a topic with all its partitions; return whether it was there.

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
