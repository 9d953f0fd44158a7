"""The one thread that changes the model: it logs, learns, answers, copies and saves."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Thread
from typing import Any

from driftlearn.ops.checkpoint.folder import log_event
from driftlearn.ops.serving.request_error import RequestError
from driftlearn.ops.serving.request_rows import Rows, parse_rows
from driftlearn.ops.serving.served_model import Reader, ServedModel, StoreFailure
from driftlearn.ops.serving.write_ahead_log import NAME, WriteAheadLog

SAVE_SECONDS = 5.0
SAVE_SHARE = 5  # so many times what it took must have passed before it is saved again
SAVE_BYTES = 64 << 20  # of the log: so much is learned again after a crash, at most
GROUP = 256  # requests that are synced together, at most
GROUP_BYTES = 16 << 20
WAITING = 1_024  # requests that may wait for the writer
COPY_SHARE = 10  # a copy for readers is made when so many times its cost has passed
IDLE = 0.1  # seconds after which it looks whether there is something else to do
FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class Ticket:
    """A request to learn that waits for its turn."""

    rows: Rows
    key: str
    body: bytes
    answer: Future[dict[str, Any]] = field(default_factory=Future)


class Writer:
    """Owns a model: takes requests to learn one after the other, and gives readers to the rest.

    Requests that wait together are written to the log and synced at one stroke; only then are they
    learned, in that order, and answered. When it is made, the log of a service that was killed is
    learned on top of what was saved.

    Parameters
    ----------
    folder : Path
        The state folder, which this process holds.
    opened : callable
        Gives the model as it was last saved.
    save_seconds : float
        Seconds from one time the model is saved to the next, or five times what saving takes. What
        the log locked_folder at the start is saved at once.

    Attributes
    ----------
    reader : Reader
        The model of a moment ago; another one takes its place, and it never changes.
    log : WriteAheadLog
        The log.
    replayed : int
        Requests that were learned from the log at the start.
    saved_at : float
        When the model was last saved, by `time.monotonic`.
    behind_since : float or None
        Since when there are rows that `reader` does not know.
    trouble : str
        Why the model could not be saved the last time; empty if it could.
    """

    def __init__(
        self,
        folder: Path,
        opened: Callable[[], ServedModel],
        *,
        save_seconds: float = SAVE_SECONDS,
    ):
        self.folder, self._opened, self._save_seconds = folder, opened, save_seconds
        self._model = opened()
        self.log = WriteAheadLog(folder / NAME, self._model.position.sequence)
        self._aside: set[int] = set()
        self._queue: Queue[Ticket] = Queue(WAITING)
        self._stopping = False
        self.trouble = ""
        self.behind_since: float | None = None
        self.replayed = self._rebuild(self.log.sequence)
        self.saved_at = time.monotonic()
        self._save_at = self.saved_at + save_seconds
        self._dirty = self.log.size > 0
        if self._dirty:
            self._save()
            if not self._is_whole:
                raise OSError(self.trouble)
        self.reader: Reader = self._model.reader()
        self.behind_since, self._copy_at = None, time.monotonic()
        self._thread = Thread(target=self._run, name="writer", daemon=True)

    def start(self) -> None:
        """Begin to take requests."""
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether requests are taken."""
        return self._thread.is_alive() and not self._stopping

    @property
    def n_waiting(self) -> int:
        """How many requests wait."""
        return self._queue.qsize()

    def submit(self, rows: Rows, key: str, body: bytes) -> Future[dict[str, Any]]:
        """Let a request to learn wait for its turn; its answer comes, or `RequestError`."""
        ticket = Ticket(rows, key, body)
        if not self.is_alive:
            raise RequestError(503, "the service is about to end: nothing was learned", after=5)
        try:
            self._queue.put_nowait(ticket)
        except Full:
            raise RequestError(
                503, f"{WAITING:,} requests wait to be learned: try again", 1
            ) from None
        return ticket.answer

    def stop(self) -> None:
        """Learn what waits, save, and end.

        Raises
        ------
        OSError
            If the model cannot be saved; then all rows are in the log.
        """
        self._stopping = True
        self._thread.join()
        if self._dirty:
            self._save()
        self.log.close()
        if self.trouble:
            raise OSError(f"{self.trouble}; all rows are in {self.log.path}, and the same command "
                          "goes on from there")  # fmt: skip

    def _run(self) -> None:
        try:
            while not self._stopping or self.n_waiting:
                self._commit(self._taken())
                if self.behind_since is not None and time.monotonic() >= self._copy_at:
                    self._copy()
                full = self.log.size >= SAVE_BYTES or self._model.is_full
                due = (full and not self.trouble) or time.monotonic() >= self._save_at
                if self._dirty and due:
                    self._save()
        finally:
            with suppress(Empty):
                while True:
                    said = RequestError(503, "the service is about to end: nothing was learned", 5)
                    self._queue.get(False).answer.set_exception(said)

    def _taken(self) -> list[Ticket]:
        """Return the requests that wait, as many as are synced together."""
        wait = IDLE
        if self.behind_since is not None:
            wait = min(max(self._copy_at - time.monotonic(), 0.0), IDLE)
        found: list[Ticket] = []
        with suppress(Empty):
            found.append(self._queue.get(timeout=wait))
            while len(found) < GROUP and sum(len(each.body) for each in found) < GROUP_BYTES:
                found.append(self._queue.get(False))
        return found

    def _commit(self, tickets: list[Ticket]) -> None:
        """Log the requests that are new, learn and answer them."""
        if tickets and not self._is_whole:
            try:
                self._rebuild(self.log.sequence)
            except StoreFailure as problem:
                _refuse(tickets, f"the model cannot be read again ({problem}): nothing was learned")
                return
        new: list[Ticket] = []
        twins: list[Ticket] = []
        keys: set[str] = set()
        for ticket in tickets:
            if ticket.key in keys:
                twins.append(ticket)
            elif ticket.answer.set_running_or_notify_cancel() and not self._is_known(ticket):
                new.append(ticket)
                keys |= {ticket.key} - {""}
        if new:
            try:
                first = self.log.append([(each.key, each.body) for each in new])
            except OSError as problem:
                for each in new:
                    each.answer.set_exception(_unwritten(problem, self.log.path))
            else:
                self._dirty = True
                try:
                    self._learn(first, new)
                except StoreFailure as problem:
                    self.trouble = f"the model cannot be written ({problem})"
                    _refuse(new, f"{self.trouble}: the rows are in the log, and are learned when "
                            "that is mended; to know, send them again with the same idempotency "
                            "key")  # fmt: skip
        if twins:
            self._commit(twins)

    def _is_known(self, ticket: Ticket) -> bool:
        """Tell whether a request was learned before, and answer it then."""
        try:
            known = self._model.position.known(ticket.key, ticket.body)
        except ValueError as problem:
            ticket.answer.set_exception(RequestError(422, str(problem)))
            return True
        if known is not None:
            ticket.answer.set_result({**known, "repeated": True})
        return known is not None

    def _learn(self, first: int, tickets: list[Ticket]) -> None:
        """Learn requests that are in the log, and answer them.

        If that fails they are learned one by one. One that fails by itself is refused: what it
        spoiled is read again, and the model is as if it never came.
        """
        self._is_whole = False
        try:
            answers = self._model.learn([each.rows for each in tickets])
        except StoreFailure:
            raise
        except Exception as problem:
            if len(tickets) > 1:
                self._rebuild(first - 1)
                for sequence, each in enumerate(tickets, first):
                    self._learn(sequence, [each])
                return
            self._aside.add(first)
            self._rebuild(first)
            with suppress(OSError):
                self._keep()  # so that it is put aside for good; the log is needed further on
            log_event(self.folder, "put aside", sequence=first, why=str(problem))
            said = f"these rows could not be learned, and none was: {problem}"
            tickets[0].answer.set_exception(RequestError(422, said))
            return
        for sequence, each in enumerate(tickets, first):
            self._model.position.advance(sequence, each.rows.n, each.key, each.body)
        self._is_whole = True
        self.behind_since = self.behind_since or time.monotonic()
        for sequence, (each, answer) in enumerate(zip(tickets, answers), first):
            each.answer.set_result({"sequence": sequence, **answer, "repeated": False})

    def _rebuild(self, through: int) -> int:
        """Learn entries of the log on top of what was saved; return how many.

        Entries that cannot be learned together are learned one by one; one that cannot be learned
        is put aside, and what it spoiled is read again.
        """
        size = GROUP
        while True:
            model = self._opened()
            saved, n = model.position.sequence, 0
            entries = (each for each in self.log.entries() if saved < each.sequence <= through)
            while group := [*islice(entries, size)]:
                kept = [(each, parse_rows(each.body)) for each in group
                        if each.sequence not in self._aside]  # fmt: skip
                try:
                    model.learn([rows for _, rows in kept])
                except StoreFailure:
                    raise
                except Exception:
                    if size == 1:
                        self._aside.add(group[0].sequence)
                    size = 1
                    break
                for each, rows in kept:
                    model.position.advance(each.sequence, rows.n, each.key, each.body)
                model.position.advance(group[-1].sequence, 0, "", b"")
                n += len(kept)
            else:
                self._model, self._is_whole = model, True
                self.behind_since = self.behind_since or time.monotonic()
                return n

    def _copy(self) -> None:
        """Give readers the model of this moment, if it is whole."""
        begun = time.monotonic()
        self._copy_at = begun + IDLE
        if not self._is_whole:
            return
        try:
            self.reader = self._model.reader()
        except StoreFailure as problem:
            self.trouble, self._is_whole = f"the model cannot be read ({problem})", False
            return
        now = time.monotonic()
        self._copy_at = now + COPY_SHARE * (now - begun)
        self.behind_since = None

    def _save(self) -> None:
        """Save the model, and forget the log; if that fails the log goes on."""
        begun = time.monotonic()
        try:
            if not self._is_whole:
                self._rebuild(self.log.sequence)
            self._keep()
            self.saved_at = time.monotonic()
            self.log.cut()
        except OSError as problem:
            self.trouble = f"the model cannot be saved ({problem.strerror or problem})"
            log_event(self.folder, "trouble", why=self.trouble)
        else:
            self.trouble, self._dirty = "", False
            self._copy_at = begun  # what is saved need not be copied, where there are many models
        now = time.monotonic()
        self._save_at = now + max(self._save_seconds, SAVE_SHARE * (now - begun))

    def _keep(self) -> None:
        try:
            self._model.save()
        except StoreFailure:
            self._is_whole = False
            raise


def _refuse(tickets: list[Ticket], sentence: str) -> None:
    """Refuse those that were not answered yet."""
    for each in tickets:
        answer = each.answer
        if answer.running() or (not answer.done() and answer.set_running_or_notify_cancel()):
            answer.set_exception(RequestError(503, sentence, after=5))


def _unwritten(problem: OSError, path: Path) -> RequestError:
    why = problem.strerror or str(problem)
    status = 507 if problem.errno in FULL else 503
    return RequestError(
        status, f"{path.name} cannot be written ({why}): nothing was learned", after=5
    )
