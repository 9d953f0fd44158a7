"""Conditions of a state folder that cause alerts, and the alerts that were not delivered yet."""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

from driftlearn.inspection._drifts import Drift, newest_drifts
from driftlearn.inspection.drift_record import DriftRecord
from driftlearn.ops.alerts.delivery import deliver
from driftlearn.ops.alerts.rules import Rules, read_rules, shown
from driftlearn.ops.checkpoint.saved_model import MODEL, SavedModel, has_file_chunks
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._table_check import sentence
from driftlearn.utils import durations
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.locks import Locks

MEMORY = "alerts.json"  # what was reported, and what is not delivered yet
ALERTED = 6  # exit code of ``driftlearn learn``, if the rules set it
MOST_OPEN, MOST_WAITING = 50, 100  # maximum conditions of a kind, and undelivered alerts
LONGEST = 30.0  # seconds after which a run no longer waits for the webhook
CHECK_SECONDS = 30.0  # between two checks of a running process
#: Seconds after which a schema change that does not occur again has ended, in a service.
QUIET = 3600.0
#: A run that begins a little earlier than the interval of a rule after the last one still finds
#: that files are missing; a running process waits a little longer, since files do not come on time.
TOLERANCE, MOST_TOLERANCE = 0.05, 600.0
LOCK_SECONDS = 5.0
RECENT_ROWS = 1_000  # rows on which models without files are compared with the majority class
LEAST_BELOW = 0.03  # difference of accuracies that is not by chance, on so many rows
TITLES = {
    "schema": "a table has changed",
    "drift": "the data or the error changed",
    "baseline": "the model is not better than the majority class",
    "failure": "the run ended with an error",
    "files": "no new rows",
    "labels": "no new labels",
    "test": "this is a test",
}


class Status(NamedTuple):
    """What a state folder has seen so far.

    Attributes
    ----------
    rows, labels : int
        Number of rows that arrived, and of those with a label that were learned.
    is_waiting : bool
        Whether labels are expected although no rows arrive.
    saved : SavedModel or None
        The model; None for one model per key.
    """

    rows: int
    labels: int
    is_waiting: bool = False
    saved: SavedModel | None = None

    @classmethod
    def of(cls, saved: SavedModel) -> Status:
        """Return the status of a model."""
        gone = sum(saved.counts.get(name, 0) for name in ("unlabelled", "given up", "held back"))
        n = saved.record.n_rows
        return cls(n + saved.n_waiting + gone, n, saved.n_waiting > 0, saved)


class Alarm:
    """Alerts of a state folder; without rules, nothing is done.

    What was reported is stored in the state folder. A condition is therefore reported once, and
    once more when it has ended. An alert is stored before it is sent and removed after it was
    delivered: if the process is killed between the two, it is sent twice, with the same ``id``.
    Errors are printed as warnings and never affect training.

    Parameters
    ----------
    folder : Path
        The state folder.
    note : callable
        Prints a line.

    Attributes
    ----------
    rules : Rules or None
        The rules.
    texts : list of str
        The alerts of this process.
    exit_code : int
        Exit code of the process if the rules set one for an alert, otherwise 0.
    """

    def __init__(self, folder: Path, note: Callable[[str], None]):
        self.folder, self._note = folder, note
        self.rules: Rules | None = None
        self.texts: list[str] = []
        self.exit_code = 0
        self._began = durations.now()
        self._arrived = False  # whether rows arrived since the last check
        self._met: dict[str, float] = {}  # schema changes of this process, and when they last came
        self._warned = ""
        self._checked: tuple[int, int] | None = None
        with self._guarded():
            self.rules = read_rules(folder)

    def met(self, changes: Iterable[SchemaChange]) -> None:
        """Store schema changes, before their rows are learned."""
        self._store({f"{each.column}: {each.problem}": sentence(each) for each in changes})

    def rejected(self, why: str) -> None:
        """Store that a service has rejected rows, because they do not match the model."""
        self._store({"rejected": f"requests are rejected: {why}"})

    def _store(self, found: dict[str, str]) -> None:
        """Store schema changes that this process has not met yet."""
        if self.rules is None or not self.rules.has("schema"):
            return
        now = durations.now()
        self._met |= dict.fromkeys(found.keys() & self._met.keys(), now)
        room = MOST_OPEN - len(self._met)  # clients may send any number of columns
        found = dict([(key, found[key]) for key in found if key not in self._met][:room])
        if not found:
            return
        self._met |= dict.fromkeys(found, now)
        with self._guarded(), self._memory() as memory:
            conditions = memory["open"].setdefault("schema", {})
            for key, text in found.items():
                if key in conditions:
                    conditions[key]["met"] = now
                elif len(conditions) < MOST_OPEN:
                    conditions[key] = _condition(text, now)

    def check(self, status: Status | None, *, is_run: bool = False, problem: str = "") -> None:
        """Find the conditions that are met and those that have ended; store alerts about them.

        Parameters
        ----------
        status : Status or None
            The status; None after an error.
        is_run : bool
            Whether this is the end of a run. Otherwise the process goes on.
        problem : str
            The error with which the run ended.
        """
        if self.rules is None:
            return
        saved = None if status is None else status.saved
        if saved is not None and (seen := (saved.record.n_rows, saved.n_waiting)) != self._checked:
            self._checked = seen
        else:
            saved = None
        # it may take seconds, during which others would wait for the lock
        drifts = newest_drifts(saved) if saved is not None and self.rules.has("drift") else []
        with self._guarded(), self._memory() as memory:
            found = self._times(memory, status, is_run)
            if self.rules.has("schema") and (not is_run or self._arrived):
                found["schema"] = self._schema(memory, is_run)
            if is_run and self.rules.has("failure"):
                found["failure"] = {"run": problem} if problem else {}
            if saved is not None and self.rules.has("baseline"):
                found["baseline"] = _baseline(saved)
            if saved is not None and self.rules.has("drift"):
                is_first = "drifts at" not in memory  # the rules were written by hand
                new = self._drifts(memory, saved, drifts)
                found["drift"] = {} if is_first else new
            for kind, conditions in [*memory["open"].items()]:
                if self.rules.has(kind):
                    # a condition that was not checked goes on, and may not have been reported yet
                    known = {key: each["text"] for key, each in conditions.items()}
                    found.setdefault(kind, known)
                else:
                    del memory["open"][kind]
            for kind, conditions in found.items():
                self._compare(memory, kind, conditions)

    def begin(self, status: Status) -> None:
        """Store what is known when the rules are written, so that it is not reported."""
        with self._guarded(), self._memory() as memory:
            self._times(memory, status, is_run=False)
            if status.saved is not None:
                self._drifts(memory, status.saved, newest_drifts(status.saved))

    def test(self) -> str:
        """Send a test alert now; return the problem, "" if it was delivered."""
        assert self.rules is not None
        message = self._message("test", "test", [TITLES["test"]])
        self._print(message)
        return deliver(self.rules.webhook, message) if self.rules.webhook else ""

    def send(self) -> None:
        """Print and send the stored alerts; those that are not delivered remain stored."""
        if self.rules is None:
            return
        with self._guarded():
            if not self.memory()["waiting"]:
                return
            problems: list[str] = []
            thread = Thread(target=self._send_all, args=(problems,), daemon=True)
            thread.start()
            thread.join(LONGEST)
            if thread.is_alive():
                problems.append(f"no answer within {LONGEST:g} s")
            waiting = len(self.memory()["waiting"])
            if problems and waiting:
                raise OSError(
                    f"{waiting:,} alerts were not delivered to {shown(self.rules.webhook)}: "
                    f"{problems[-1]}. They are kept in {self.folder / MEMORY} and sent by the next "
                    "run."
                )

    def memory(self) -> dict[str, Any]:
        """Return what is stored."""
        try:
            content = json.loads((self.folder / MEMORY).read_bytes())
        except FileNotFoundError:
            content = {}
        except ValueError:
            raise ValueError(f"{self.folder / MEMORY} is damaged. Remove it.") from None
        return {"open": {}, "drifts": {}, "waiting": [], **content}

    def _times(
        self, memory: dict[str, Any], status: Status | None, is_run: bool
    ) -> dict[str, dict[str, str]]:
        """Store when rows and labels came last; return the conditions of times."""
        assert self.rules is not None
        # a run may take long, and rows came before it began
        when = self._began if is_run else durations.now()
        self._arrived = False
        found: dict[str, dict[str, str]] = {}
        if is_run and status is None:  # the error is reported
            return found
        for kind, name in (("files", "rows"), ("labels", "labels")):
            n = None if status is None else getattr(status, name)
            last = memory.setdefault(kind, {"n": n, "at": when})
            if n is not None and n != last["n"]:
                self._arrived |= kind == "files"
                last |= {"n": n, "at": when}
                found[kind] = {}
            limit = self.rules.limit(kind)
            if not limit or kind in found or memory["open"].get(kind):  # open until they come
                continue
            tolerance = min(TOLERANCE * limit, MOST_TOLERANCE)
            gone = when - last["at"]
            is_late = gone >= limit - tolerance if is_run else gone > limit + tolerance
            if kind == "labels":
                # without rows there are no labels, and "files" reports it
                is_waiting = status is not None and status.is_waiting
                is_late &= is_waiting or memory["files"]["at"] > last["at"]
            text = f"{TITLES[kind]} for {durations.clock(gone)}, since {_iso(last['at'])}"
            every = getattr(self.rules, f"{kind}_every")
            found[kind] = {"late": f"{text}; expected every {every}"} if is_late else {}
        return found

    def _schema(self, memory: dict[str, Any], is_run: bool) -> dict[str, str]:
        """Return the schema changes that go on.

        A run has met them; in a service, no rows came an hour after their last occurrence.
        """
        conditions = memory["open"].get("schema", {})
        for key in self._met.keys() & conditions.keys():
            conditions[key]["met"] = max(self._met[key], conditions[key]["met"])
        first = self._began if is_run else memory["files"]["at"] - QUIET
        self._met = {key: when for key, when in self._met.items() if when >= first}
        # a run that was killed has met changes that it did not report
        going_on = [key for key, each in conditions.items()
                    if each["met"] >= first or not each["reported"]]  # fmt: skip
        return {key: conditions[key]["text"] for key in going_on}

    def _drifts(
        self, memory: dict[str, Any], saved: SavedModel, drifts: list[Drift]
    ) -> dict[str, str]:
        """Return the drifts that were not reported, or have not ended.

        The date of a drift is not exact at first. A drift of a feature is therefore new if it
        begins after all rows that had arrived when the last one of that feature was reported. The
        end of a temporary change is no new drift, nor is a rise of the error that is over when it
        is found.
        """
        n = saved.record.n_rows if saved.features is None else saved.features.n_rows
        memory["drifts at"] = n
        conditions, known, found = memory["open"].get("drift", {}), memory["drifts"], {}
        for subject, after, text, is_over in drifts:
            before = known.get(subject)
            if before is None or after >= before["until"]:
                if before is not None and _has_returned(saved, subject, before["after"], after):
                    before["until"] = n
                    continue
                known[subject] = {"after": after, "until": n}
                conditions.pop(subject, None)
                if not is_over:
                    found[subject] = text
            elif subject in conditions and not is_over:
                newest = before["until"]
                if newest >= n or not _has_returned(saved, subject, before["after"], newest):
                    found[subject] = text
        return found

    def _compare(self, memory: dict[str, Any], kind: str, found: dict[str, str]) -> None:
        """Store alerts about conditions that are new or have ended."""
        assert self.rules is not None
        conditions, now = memory["open"].setdefault(kind, {}), durations.now()
        ended = [conditions.pop(key) for key in [*conditions] if key not in found]
        for key, text in found.items():
            if key in conditions or len(conditions) < MOST_OPEN:
                conditions.setdefault(key, _condition(text, now))
        new = [each for each in conditions.values() if not each["reported"]]
        for each in new:
            each["reported"] = True
        texts = {"new": [each["text"] for each in new],
                 "resolved": [each["text"] for each in ended if each["reported"]]}  # fmt: skip
        for state, some in texts.items():
            if some:
                memory["waiting"].append(self._message(kind, state, some))
                self.texts.append(memory["waiting"][-1]["text"])
        memory["waiting"] = memory["waiting"][-MOST_WAITING:]
        if new and kind in self.rules.exit_on:
            self.exit_code = ALERTED

    def _message(self, kind: str, state: str, texts: list[str]) -> dict[str, Any]:
        folder = os.path.abspath(self.folder)
        head = f"{kind} resolved" if state == "resolved" else kind
        return {
            "id": secrets.token_hex(8), "alert": kind, "status": state,
            "time": _iso(durations.now()), "host": socket.gethostname(), "state": folder,
            "text": f"{folder}: {head}: {'; '.join(texts)}", "details": texts,
        }  # fmt: skip

    def _send_all(self, problems: list[str]) -> None:
        """Print and send the stored alerts, unless another process does it."""
        try:
            with Locks(self.folder) as locks:
                if locks.take("alerts-sending"):
                    for message in self.memory()["waiting"]:
                        if not message.get("printed"):
                            self._print(message)
                            self._settle(message["id"], printed=True)
                        if self.rules is not None and self.rules.webhook and not problems:
                            sent = {k: v for k, v in message.items() if k != "printed"}
                            problems += filter(None, [deliver(self.rules.webhook, sent)])
                        if not problems:
                            self._settle(message["id"])
        except (OSError, ValueError) as problem:
            problems.append(str(problem))

    def _print(self, message: dict[str, Any]) -> None:
        self._note(f"alert: {message['text']}")
        if self.rules is not None and self.rules.file:
            with open(self.rules.file, "a", encoding="utf-8") as file:
                file.write(f"{message['time']} {json.dumps(message['text'], ensure_ascii=False)}\n")

    def _settle(self, number: str, printed: bool = False) -> None:
        """Remove a stored alert, or mark it as printed."""
        with self._memory() as memory:
            if printed:
                for each in memory["waiting"]:
                    each["printed"] = each.get("printed", False) or each["id"] == number
            else:
                memory["waiting"] = [each for each in memory["waiting"] if each["id"] != number]

    @contextmanager
    def _memory(self) -> Iterator[dict[str, Any]]:
        """Provide what is stored, and store its changes; other processes wait."""
        with Locks(self.folder) as locks:
            until = time.monotonic() + LOCK_SECONDS
            while not locks.take("alerts"):
                if time.monotonic() > until:
                    raise OSError(f"{self.folder / MEMORY} is in use by another process")
                time.sleep(0.01)
            memory = self.memory()
            before = json.dumps(memory)
            yield memory
            after = json.dumps(memory, indent=1)
            if json.dumps(memory) != before:
                atomic_write(self.folder / MEMORY, after.encode())

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Print errors as warnings; a repeated one only once."""
        try:
            yield
            self._warned = ""
        except (OSError, ValueError) as problem:
            if str(problem) != self._warned:
                self._note(f"warning: {problem}")
            self._warned = str(problem)


class AlarmClock:
    """Thread that checks and sends alerts while a process runs.

    Parameters
    ----------
    alarm : Alarm
        The alerts.
    status : callable
        Returns the current status, or None if it is not known.
    """

    def __init__(self, alarm: Alarm, status: Callable[[], Status | None]):
        self.alarm, self._status = alarm, status
        self._ended = Event()
        self._thread = Thread(target=self._run, name="alerts", daemon=True)

    def __enter__(self) -> AlarmClock:
        if self.alarm.rules is not None:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        if self.alarm.rules is not None:
            self._thread.join(LONGEST)

    def _run(self) -> None:
        while True:
            with suppress(Exception):  # the files may be replaced at this moment
                status = self._status()
                if status is not None:
                    self.alarm.check(status)
            self.alarm.send()
            if self._ended.is_set():  # after a last check
                return
            self._ended.wait(CHECK_SECONDS)


def saved_status(folder: Path, allow: Iterable[str] = ()) -> Callable[[], Status | None]:
    """Return a function that returns the status of the model in a state folder, also without one.

    The file is read again only after it has changed.
    """
    seen: list[Any] = [None, None]

    def status() -> Status | None:
        try:
            at = (folder / MODEL).stat()
            if seen[0] != (at.st_mtime_ns, at.st_size):
                saved = SavedModel.open(folder, allow=allow)
                seen[:] = (at.st_mtime_ns, at.st_size), Status.of(saved)
        except (OSError, ValueError):
            pass
        found: Status | None = seen[1]
        return found

    return status


def _baseline(saved: SavedModel) -> dict[str, str]:
    """Return whether a model is not better than the majority class."""
    if has_file_chunks(saved.settings):
        texts = {"model": saved.files.warnings(), "file": saved.files.newest_below()}
        return {key: some[0] for key, some in texts.items() if some}
    shares = saved.record.accuracy(RECENT_ROWS)
    model, majority = shares["model"], shares.get("majority")
    if saved.record.n_rows < RECENT_ROWS or model is None or majority is None:
        return {}
    if model > majority - LEAST_BELOW:
        return {}
    text = f"accuracy {model:.3f} in the last {RECENT_ROWS:,} rows, majority class {majority:.3f}"
    return {"model": text}


def _has_returned(saved: SavedModel, subject: str, before: int, since: int) -> bool:
    """Return whether the rows since a drift are distributed as before the drift reported last."""
    return isinstance(saved.features, DriftRecord) and saved.features.has_returned(
        subject, before, since
    )


def _condition(text: str, now: float) -> dict[str, Any]:
    return {"text": text, "since": _iso(now), "met": now, "reported": False}


def _iso(when: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(when))
