"""``driftlearn learn --key --on bytewax:N``: N processes, all started again when one of them dies.

The folder of a run has the engine's recovery store, and a ledger that takes what the run came to.
So a kill at any moment costs at most an epoch of work: the same command goes on.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from driftlearn import io as persist
from driftlearn.ops.keyed.clock import Clock
from driftlearn.ops.keyed.engine import Counts
from driftlearn.ops.keyed.engine_run import ABOUT, EngineRun, Outcome
from driftlearn.ops.keyed.heard import Heard
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.reader import Reader
from driftlearn.ops.keyed.settings import STORE, Request
from driftlearn.ops.keyed.state_files import stored_states
from driftlearn.utils.optional import needed

PROBLEM, LEDGER = "problem.txt", "ledger.sqlite"
BATCH = 20_000  # rows that are read at a time, at first
EPOCH = 2.0  # seconds from one time that states are saved to the next, at least
TRIES, PAUSE = 10, 0.5  # starts without any progress; seconds before another
LOOK = 0.05
MOST = 16  # processes: the recovery store has a file for each


def run(request: Request) -> KeyedModels:
    """Learn all that is new in several processes; return the models."""
    return BytewaxRun(request).run()


class BytewaxRun(EngineRun):
    """One run in processes of Bytewax, which are started, watched and started again here.

    Parameters
    ----------
    request : Request
        What is asked for.
    batch : int
        Rows that are read at a time, at first; nothing but speed and memory depends on it.
    save_seconds : float
        Seconds from one time that states are saved to the next, at least.
    """

    engine = "bytewax"

    def __init__(self, request: Request, *, batch: int = BATCH, save_seconds: float = EPOCH):
        super().__init__(request, batch=batch, save_seconds=save_seconds)

    def _check_engine(self) -> None:
        needed("bytewax", f"--on {self.request.on}")
        processes_of(self.request.on)

    def _check_same(self, about: dict[str, Any]) -> bool:
        return about["on"] == self.request.on and super()._check_same(about)

    def _begin(self, here: Path) -> dict[str, Any]:
        (here / "recovery").mkdir()
        needed("bytewax.recovery").init_db_dir(here / "recovery", MOST)
        return {"processes": processes_of(self.request.on)}

    def _work(self, here: Path, about: dict[str, Any]) -> Outcome:
        """Have all processes run until they are done; if one dies all start again."""
        failed, progress = 0, -1
        said = {
            "files": self.request.files, "follow": self.request.follow,
            "batch": self.batch, "seconds": self.save_seconds,
        }  # fmt: skip
        while True:
            (here / PROBLEM).unlink(missing_ok=True)
            if _all_done(here, about["processes"], said):
                return _outcome(here)
            if (here / PROBLEM).exists():
                raise ValueError((here / PROBLEM).read_text("utf-8"))
            now = _learned(here)
            failed, progress = (failed + 1 if now == progress else 1), now
            if failed >= TRIES:
                raise ValueError(
                    f"a process of Bytewax died {failed} times without learning anything: see "
                    f"{here / 'log.txt'}; nothing is lost"
                )
            self.show.note("a process died: all start again from what was saved last")
            time.sleep(PAUSE)


def _outcome(here: Path) -> Outcome:
    """Return what the ledger of a run has."""
    ledger = KeyStore(here / LEDGER, to_read=True)
    known = {name: ledger.about(name) or b"" for name in ("counts", "clock", "population", "heard")}
    return Outcome(
        stored_states(ledger), Counts.loads(known["counts"]), ledger.positions(),
        json.loads(known["clock"]), persist.loads(known["population"]), Heard.of(known["heard"]),
    )  # fmt: skip


def processes_of(on: str) -> int:
    """Return how many processes a place asks for, as ``bytewax:2``."""
    text = on.partition(":")[2] or "1"
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise ValueError(f"--on {on}: say how many processes, 1 to {MOST}, as --on bytewax:2")
    return int(text)


def _learned(here: Path) -> int:
    """Return how many rows a run had learned when it was last heard of."""
    with suppress(OSError, ValueError):
        ledger = KeyStore(here / LEDGER, to_read=True)
        content = ledger.about("counts")
        ledger.close()
        return 0 if content is None else Counts.loads(content).learned
    return 0


def _all_done(here: Path, n: int, said: dict[str, Any]) -> bool:
    """Run all processes; return whether every one of them came to its end.

    The names of what is learned from may have a password in them: they are said, and written
    nowhere.
    """
    addresses = ";".join(f"127.0.0.1:{port}" for port in _free_ports(n)) if n > 1 else ""
    with open(here / "log.txt", "ab") as log:
        words = [sys.executable, "-m", "driftlearn.ops.keyed.supervisor", str(here), addresses]
        group = [
            subprocess.Popen([*words, str(k)], stdout=log, stderr=log, stdin=subprocess.PIPE)
            for k in range(n)
        ]
        try:
            for process in group:
                _say(process, json.dumps(said).encode())
            while True:
                codes = [process.poll() for process in group]
                if any(codes):  # neither running nor ended well
                    return False
                if all(code == 0 for code in codes):
                    return True
                time.sleep(LOOK)
        finally:
            for process in group:
                with suppress(OSError):
                    process.kill()
                process.wait()


def _say(process: subprocess.Popen[bytes], content: bytes) -> None:
    """Give a process what it reads first; one that is dead already is found to be so later."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.write(content)
    with suppress(OSError):
        process.stdin.close()


def _free_ports(n: int) -> list[int]:
    sockets = [socket.socket() for _ in range(n)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def work(here: Path, addresses: list[str], place: int, said: dict[str, Any]) -> None:
    """Be one of the processes of a run."""
    from driftlearn.ops.keyed.bytewax import dataflow

    about = json.loads((here / ABOUT).read_text("utf-8"))
    store = KeyStore(here.parent / STORE, to_read=True)
    models = KeyedModels(store=store)
    clock = Clock.of(models.clock.idle, models.clock.by_time, about["clock"])
    reader = Reader(
        said["files"], about["settings"], about["kinds"], about["positions"], clock,
        skip=about["skip"], follow=said["follow"], batch=said["batch"],
    )  # fmt: skip
    flow = dataflow(
        reader, models.learner, store, here, memory=about["memory"], idle=about["settings"]["idle"],
        out=None if about["out"] is None else Path(about["out"]), n_parts=about["processes"],
        number=about["number"],
    )  # fmt: skip
    recovery = needed("bytewax.recovery").RecoveryConfig(here / "recovery")
    needed("bytewax.testing").cluster_main(
        flow, addresses, place, epoch_interval=timedelta(seconds=said["seconds"]),
        recovery_config=recovery,
    )  # fmt: skip


def main(words: list[str]) -> None:
    """Be one of the processes of a run; a mistake of the user's is left in a file."""
    here, addresses, place = Path(words[0]), [a for a in words[1].split(";") if a], int(words[2])
    _end_with_parent()
    try:
        work(here, addresses, place, json.load(sys.stdin))
    except BaseException as problem:
        told = _told(problem)
        if told is not None:
            (here / PROBLEM).write_text(told, "utf-8")
        raise


def _told(problem: BaseException) -> str | None:
    """Return the sentence of a mistake that another try would make again."""
    seen: BaseException | None = problem
    while seen is not None:
        if isinstance(seen, ValueError):
            return str(seen)
        seen = seen.__cause__ or seen.__context__
    return None


def _end_with_parent() -> None:
    """Have the system end this process when the one that started it ends, where it can."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        if os.getppid() == 1:
            os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
