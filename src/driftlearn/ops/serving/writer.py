"""Writer thread, which owns the model: logs requests, trains on them, answers and saves."""

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

from driftlearn.ops.checkpoint.saved_model import log_event
from driftlearn.ops.serving.request_rows import RequestError, Rows, parse_rows
from driftlearn.ops.serving.served_model import Reader, ServedModel, StoreFailure
from driftlearn.ops.serving.write_ahead_log import NAME, WriteAheadLog

SAVE_SECONDS = 5.0
SAVE_SHARE = 5  # at most 1/5 of the time is spent on saving
# size of the log that triggers a save, which limits the work repeated after a crash
SAVE_BYTES = 64 << 20
GROUP = 256  # maximum requests per sync, which costs more than training
GROUP_BYTES = 16 << 20
MAX_WAITING = 1_024  # maximum number of waiting requests
COPY_SHARE = 10  # at most 1/10 of the time is spent on snapshots for readers
IDLE = 0.1  # seconds after which a waiting thread checks whether a save is due
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
ENDING = "The service is shutting down. Nothing was learned."


@dataclass(frozen=True)
class Ticket:
    """A training request in the queue."""

    rows: Rows
    key: str
    body: bytes
    answer: Future[dict[str, Any]] = field(default_factory=Future)


class Writer:
    """Thread that owns a model, trains it on requests in order and provides snapshots.

    All waiting requests are written to the log with a single sync. The model is then trained on
    them in this order, and they are answered. After a crash, a new writer first replays the log
    entries on which the saved model was not trained.

    Parameters
    ----------
    folder : Path
        The state folder, which this process has locked.
    opened : callable
        Function that returns the last saved model.
    save_seconds : float
        Minimum seconds between two saves; longer if saving takes more than a fifth of this time.
        After a replay of earlier entries, the model is saved at once.

    Attributes
    ----------
    reader : Reader
        The latest snapshot.
    log : WriteAheadLog
        The log.
    replayed : int
        Number of log entries replayed at the start.
    saved_at : float
        Time of the last save, by `time.monotonic`.
    behind_since : float or None
        Time since which `reader` is older than the model; None if it is up to date.
    trouble : str
        Why the last save failed; empty if it succeeded.
    """

    def __init__(
        self, folder: Path, opened: Callable[[], ServedModel], *, save_seconds: float = SAVE_SECONDS
    ):
        self.folder, self._opened, self._save_seconds = folder, opened, save_seconds
        self._model = opened()
        self.log = WriteAheadLog(folder / NAME, self._model.position.sequence)
        self._rejected: set[int] = set()  # log entries that cannot be learned
        self._queue: Queue[Ticket] = Queue(MAX_WAITING)
        self._stopping = False
        self.trouble = ""
        self.behind_since: float | None = None
        self.replayed = self._rebuild(self.log.sequence)
        self.saved_at = time.monotonic()
        self._save_at = self.saved_at + save_seconds
        self._is_modified = self.log.size > 0
        if self._is_modified:
            self._save()
            if not self._is_consistent:
                raise OSError(self.trouble)
        self.reader: Reader = self._model.reader()
        self.behind_since, self._copy_at = None, time.monotonic()
        self._thread = Thread(target=self._run, name="writer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether requests are accepted."""
        return self._thread.is_alive() and not self._stopping

    @property
    def n_waiting(self) -> int:
        """Number of waiting requests."""
        return self._queue.qsize()

    def submit(self, rows: Rows, key: str, body: bytes) -> Future[dict[str, Any]]:
        """Enqueue a training request; return a future of its answer or `RequestError`."""
        ticket = Ticket(rows, key, body)
        if not self.is_alive:
            raise RequestError(503, ENDING, retry_after=5)
        try:
            self._queue.put_nowait(ticket)
        except Full:
            text = f"{MAX_WAITING:,} requests are waiting. Send the request again later."
            raise RequestError(503, text, retry_after=1) from None
        return ticket.answer

    def stop(self) -> None:
        """Process the waiting requests, save the model and end the thread.

        Raises
        ------
        OSError
            If the model cannot be saved; all rows are then in the log.
        """
        self._stopping = True
        self._thread.join()
        if self._is_modified:
            self._save()
        self.log.close()
        if self.trouble:
            text = f"{self.trouble}. All rows are in {self.log.path}: run the same command again."
            raise OSError(text)

    def _run(self) -> None:
        try:
            while not self._stopping or self.n_waiting:
                self._commit(self._next_group())
                if self.behind_since is not None and time.monotonic() >= self._copy_at:
                    self._copy()
                is_full = self.log.size >= SAVE_BYTES or self._model.is_full
                is_due = (is_full and not self.trouble) or time.monotonic() >= self._save_at
                if self._is_modified and is_due:
                    self._save()
        finally:
            with suppress(Empty):
                while True:
                    self._queue.get(False).answer.set_exception(RequestError(503, ENDING, 5))

    def _next_group(self) -> list[Ticket]:
        """Return waiting requests, up to the number that is synced together."""
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
        """Log the new requests, train on them and answer them."""
        if tickets and not self._is_consistent:
            try:
                self._rebuild(self.log.sequence)
            except StoreFailure as problem:
                text = f"The model cannot be read again ({problem}). Nothing was learned."
                return _reject(tickets, text)
        new, keys = list[Ticket](), set[str]()
        repeated: list[Ticket] = []  # requests whose key occurs earlier in this group
        for ticket in tickets:
            if ticket.key in keys:
                repeated.append(ticket)
            elif ticket.answer.set_running_or_notify_cancel() and not self._is_known(ticket):
                new.append(ticket)
                keys |= {ticket.key} - {""}
        if new:
            self._log_and_learn(new)
        if repeated:
            self._commit(repeated)

    def _log_and_learn(self, tickets: list[Ticket]) -> None:
        try:
            first = self.log.append([(each.key, each.body) for each in tickets])
        except OSError as problem:
            status = 507 if problem.errno in DISK_FULL else 503
            why = problem.strerror or str(problem)
            text = f"{self.log.path.name} cannot be written ({why}). Nothing was learned."
            return _reject(tickets, text, status)
        self._is_modified = True
        try:
            self._learn(first, tickets)
        except StoreFailure as problem:
            self.trouble = f"The model cannot be written ({problem})"
            _reject(tickets, f"{self.trouble}. The rows are in the log and will be learned later. "
                    "Send them again with the same idempotency key to find out when.")  # fmt: skip

    def _is_known(self, ticket: Ticket) -> bool:
        """Return whether a request is a repetition; if so, answer it."""
        try:
            known = self._model.position.known(ticket.key, ticket.body)
        except ValueError as problem:
            ticket.answer.set_exception(RequestError(422, str(problem)))
            return True
        if known is not None:
            ticket.answer.set_result({**known, "repeated": True})
        return known is not None

    def _learn(self, first: int, tickets: list[Ticket]) -> None:
        """Train on logged requests and answer them.

        If training fails, requests are processed one by one. A request that fails alone is
        rejected, and the model is rebuilt without it.
        """
        self._is_consistent = False
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
            self._rejected.add(first)
            self._rebuild(first)
            # After this save, the entry is never learned again. The log is not cleared, because
            # other entries may follow.
            with suppress(OSError):
                self._save_model()
            log_event(self.folder, "rejected", sequence=first, why=str(problem))
            text = f"These rows could not be learned, and none of them was: {problem}"
            tickets[0].answer.set_exception(RequestError(422, text))
            return
        for sequence, each in enumerate(tickets, first):
            self._model.position.advance(sequence, each.rows.n, each.key, each.body)
        self._is_consistent = True
        self.behind_since = self.behind_since or time.monotonic()
        for sequence, (each, answer) in enumerate(zip(tickets, answers), first):
            each.answer.set_result({"sequence": sequence, **answer, "repeated": False})

    def _rebuild(self, through: int) -> int:
        """Open the saved model and replay the log entries; return the number of entries.

        If the entries cannot be processed together, they are replayed one by one, starting from the
        saved model. An entry that fails is rejected, and the model is rebuilt without it.
        """
        size = GROUP
        while True:
            model = self._opened()
            saved, n = model.position.sequence, 0
            entries = (each for each in self.log.entries() if saved < each.sequence <= through)
            while group := [*islice(entries, size)]:
                some = [(each, parse_rows(each.body, logged=True)) for each in group
                        if each.sequence not in self._rejected]  # fmt: skip
                try:
                    model.learn([rows for _, rows in some])
                except StoreFailure:
                    raise
                except Exception:
                    if size == 1:
                        self._rejected.add(group[0].sequence)
                    size = 1
                    break
                for each, rows in some:
                    model.position.advance(each.sequence, rows.n, each.key, each.body)
                model.position.advance(group[-1].sequence, 0, "", b"")
                n += len(some)
            else:
                self._model, self._is_consistent = model, True
                self.behind_since = self.behind_since or time.monotonic()
                return n

    def _copy(self) -> None:
        """Update the snapshot, unless the model is inconsistent."""
        begun = time.monotonic()
        self._copy_at = begun + IDLE
        if not self._is_consistent:
            return
        try:
            self.reader = self._model.reader()
        except StoreFailure as problem:
            self.trouble, self._is_consistent = f"The model cannot be read ({problem})", False
            return
        now = time.monotonic()
        self._copy_at = now + COPY_SHARE * (now - begun)
        self.behind_since = None

    def _save(self) -> None:
        """Save the model and clear the log; if saving fails, the log is kept."""
        begun = time.monotonic()
        try:
            # A model that is saved elsewhere would be followed by entries of another log.
            self.log.check()
            if not self._is_consistent:
                self._rebuild(self.log.sequence)
            self._save_model()
            self.saved_at = time.monotonic()
            self.log.clear()
        except OSError as problem:
            self.trouble = f"The model cannot be saved ({problem.strerror or problem})"
            log_event(self.folder, "save failed", why=self.trouble)
        else:
            self.trouble, self._is_modified = "", False
            self._copy_at = begun  # snapshots are cheap now, since saved key states are not copied
        now = time.monotonic()
        self._save_at = now + max(self._save_seconds, SAVE_SHARE * (now - begun))

    def _save_model(self) -> None:
        try:
            self._model.save()
        except StoreFailure:
            self._is_consistent = False
            raise


def _reject(tickets: list[Ticket], text: str, status: int = 503) -> None:
    """Reject requests that have not been answered yet."""
    for each in tickets:
        answer = each.answer
        if answer.running() or (not answer.done() and answer.set_running_or_notify_cancel()):
            answer.set_exception(RequestError(status, text, retry_after=5))
