"""Live page of a state folder or service: what is watched, and its page, rendered once for all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from driftlearn.ops.checkpoint.saved_model import MODEL, STORE, SavedModel, is_keyed
from driftlearn.utils.table import Table

if TYPE_CHECKING:
    from driftlearn.bench.report._live import Tile
    from driftlearn.inspection.inspection import Inspection

EVERY = 1.0  # least minimum of seconds between two renderings
SHARE = 10  # at most 1/10 of the time is spent on rendering
READERS = 32  # maximum number of browsers that receive events; others request updates themselves
EVENT_SECONDS = 600.0  # after which a stream of events ends, and the browser opens another
HEARTBEAT = 15.0  # seconds between events without content, which detect a lost connection
MAX_SEARCH = 200  # characters of a search for keys


class Watched(Protocol):
    """Model of a live page.

    Attributes
    ----------
    folder : Path
        The state folder.
    updated_at : float
        Time of the last change of the model, in seconds since 1970.
    """

    folder: Path
    updated_at: float

    def inspection(self) -> Inspection | None:
        """Return the inspection, the same while the model is unchanged; None if untrained."""

    def tiles(self) -> list[Tile]:
        """Return tiles in addition to those of the model."""
        return []

    def trouble(self) -> str:
        """Return a problem to display, or an empty string."""
        return ""

    def facts(self) -> Mapping[str, str]:
        """Return names and values for a table about the service."""
        return {}


class ModelWatcher(Watched):
    """Saved model or keyed models, inspected again whenever their file changes. Nothing is written.

    Parameters
    ----------
    folder : Path
        The state folder.
    allow : tuple of str
        Packages whose classes may be loaded.
    """

    def __init__(self, folder: Path, allow: tuple[str, ...] = ()):
        self.folder, self.allow, self.updated_at = folder, allow, 0.0
        self._seen: list[tuple[int, int]] = []
        self._found: Inspection | None = None

    def inspection(self) -> Inspection:
        """See `Watched`.

        If the file is temporarily missing or unreadable, it is read at the next call.
        """
        if self._found is None:
            self._read()
        with suppress(OSError, ValueError):
            self._read()
        assert self._found is not None
        return self._found

    def _read(self) -> None:
        # SQLite appends commits to a second file, which may be missing.
        names = (STORE, f"{STORE}-wal") if is_keyed(self.folder) else (MODEL,)
        paths = [path for name in names if (path := self.folder / name).exists()]
        status = [path.stat() for path in paths]
        seen = [(each.st_mtime_ns, each.st_size) for each in status]
        if self._found is None or seen != self._seen:
            self._found, self._seen = self._inspected(), seen
            self.updated_at = max((each.st_mtime for each in status), default=0.0)

    def _inspected(self) -> Inspection:
        from driftlearn.inspection.inspection import inspect
        from driftlearn.ops.keyed.inspection import inspect_keys
        from driftlearn.ops.keyed.predictions import open_models

        if not is_keyed(self.folder):
            return inspect(SavedModel.open(self.folder, allow=self.allow))
        models = open_models(self.folder)
        with closing(models.store):
            return inspect_keys(models)


class LivePage:
    """Live page, rendered once per version, however many browsers show it.

    Parameters
    ----------
    watched : Watched
        The model.
    every : float
        Minimum seconds between two renderings.

    Attributes
    ----------
    n_readers : int
        Number of browsers that receive events.
    """

    def __init__(self, watched: Watched, every: float = EVERY):
        self.watched, self.n_readers = watched, 0
        self._every = max(every, EVERY)
        self._parts = ""
        self._content = "", ""  # version and HTML, replaced together
        self._shown: Inspection | None = None
        self._next = 0.0
        self._lock = Lock()

    @property
    def is_due(self) -> bool:
        """Whether `refresh` would do more than return."""
        return time.monotonic() >= self._next

    @property
    def version(self) -> str:
        """A digest of the content."""
        return self._content[0]

    def refresh(self) -> None:
        """Render the page again if this is due."""
        with self._lock:
            if self.is_due:
                begun = time.monotonic()
                self._render()
                now = time.monotonic()
                self._next = now + max(self._every, SHARE * (now - begun))

    def _render(self) -> None:
        from driftlearn.bench.report import _live

        watched = self.watched
        inspection = watched.inspection()
        if inspection is not self._shown:
            self._parts, self._shown = _live.model_parts(inspection, watched.facts()), inspection
        tiles = [*(_live.model_tiles(inspection) if inspection else ()), *watched.tiles()]
        learner = inspection.title if inspection else ""
        if is_keyed(watched.folder):
            learner = f"One model per key: {learner}"
        html = _live.summary_part(tiles, learner, watched.updated_at, watched.trouble())
        html += self._parts
        self._content = blake2b(html.encode("utf-8", "replace"), digest_size=8).hexdigest(), html

    def document(self) -> str:
        """Return the page, as of the last `refresh`."""
        from driftlearn.bench.report._live import live_document

        folder = self.watched.folder
        return live_document(folder.name or str(folder), *self._content)

    def content(self, since: str) -> dict[str, str]:
        """Return version and HTML of the page; without the HTML if `since` is this version."""
        version, html = self._content
        return {"version": version} if since == version else {"version": version, "html": html}

    def keys(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Return a page of the table of keys.

        Parameters
        ----------
        query : mapping of str to str
            ``search``, ``order`` and ``begin``; see `KeyStore.keys`.
        """
        from driftlearn.bench.report import _live
        from driftlearn.ops.keyed.inspection import MIN_RECENT, key_table
        from driftlearn.ops.keyed.key_store import KeyStore

        order, search = query.get("order", ""), query.get("search", "")[:MAX_SEARCH]
        order = order if order in _live.ORDERS else next(iter(_live.ORDERS))
        begin = query.get("begin", "")
        first = int(begin) if begin.isdecimal() and len(begin) < 10 else 0
        table, total = Table({}), 0
        if is_keyed(self.watched.folder):
            path = self.watched.folder / STORE
            with closing(KeyStore(path, read_only=True, checked=False)) as store:
                total = store.n_keys(order, MIN_RECENT, search)
                table = key_table(store.keys(order, _live.KEYS, MIN_RECENT, search, first))
        return _live.keys_found(table, first, total)

    @contextmanager
    def reader(self) -> Iterator[bool]:
        """Count a browser that receives events; yield False if there are too many."""
        with self._lock:
            is_admitted = self.n_readers < READERS
            self.n_readers += is_admitted
        try:
            yield is_admitted
        finally:
            with self._lock:
                self.n_readers -= is_admitted


class Events:
    """Server-sent events of one browser: the version whenever it changes, and heartbeats."""

    def __init__(self) -> None:
        self._sent, self._at = "", time.monotonic()
        self.end = self._at + EVENT_SECONDS

    def next(self, version: str) -> bytes:
        """Return what to send now; empty if there is nothing to send."""
        now = time.monotonic()
        if version != self._sent:
            self._sent, self._at = version, now
            return f"data: {version}\n\n".encode()
        if now >= self._at + HEARTBEAT:
            self._at = now
            return b":\n\n"
        return b""

    @property
    def is_over(self) -> bool:
        """Whether the stream should end."""
        return time.monotonic() >= self.end
