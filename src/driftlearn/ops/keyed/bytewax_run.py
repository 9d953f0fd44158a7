"""``driftlearn learn --key --on bytewax:N``: N processes, all restarted when one of them dies.

The folder of a run contains the engine's recovery store, and a ledger with the results. A crash at
any moment costs at most an epoch of work: the same command continues.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from driftlearn import io as persist
from driftlearn.ops.keyed.arrow_files import stored_states
from driftlearn.ops.keyed.clock import Clock
from driftlearn.ops.keyed.engine_run import ABOUT, EngineRun, Outcome
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.reader import Reader
from driftlearn.ops.keyed.settings import STORE, Request
from driftlearn.ops.keyed.source_accuracy import SourceAccuracy
from driftlearn.ops.keyed.training import Counts
from driftlearn.utils.optional import needed

PROBLEM, LEDGER = "problem.txt", "ledger.sqlite"
BATCH = 20_000  # rows that are read together, at first
EPOCH = 2.0  # minimum seconds between two saves
TRIES, PAUSE = 10, 0.5  # starts without any progress; seconds before the next
POLL = 0.05  # seconds
MAX_PROCESSES = 16  # the recovery store has a file for each
SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


class BytewaxRun(EngineRun):
    """One run in processes of Bytewax, which are started, watched and restarted here.

    Parameters
    ----------
    request : Request
        The arguments of the command.
    batch : int
        Rows that are read together, at first; it affects speed and memory only.
    save_seconds : float
        Minimum seconds between two saves.
    """

    engine = "bytewax"

    def __init__(self, request: Request, *, batch: int = BATCH, save_seconds: float = EPOCH):
        super().__init__(request, batch=batch, save_seconds=save_seconds)

    def _check_engine(self) -> None:
        processes_of(self.request.on)

    def _is_same(self, about: dict[str, Any]) -> bool:
        return about["on"] == self.request.on and super()._is_same(about)

    def _prepare(self, here: Path) -> dict[str, Any]:
        (here / "recovery").mkdir()
        needed("bytewax.recovery").init_db_dir(here / "recovery", MAX_PROCESSES)
        return {"processes": processes_of(self.request.on)}

    def _run_engine(self, here: Path, about: dict[str, Any]) -> Outcome:
        """Run all processes until they are done; restart all when one dies."""
        failed, progress = 0, -1
        inputs = {
            "files": self.request.files, "follow": self.request.follow,
            "batch": self.batch, "seconds": self.save_seconds,
        }  # fmt: skip
        while True:
            (here / PROBLEM).unlink(missing_ok=True)
            if _run_processes(here, about["processes"], inputs):
                return _outcome(here)
            if (here / PROBLEM).exists():
                raise ValueError((here / PROBLEM).read_text("utf-8"))
            now = _n_learned(here)
            failed, progress = (failed + 1 if now == progress else 1), now
            if failed >= TRIES:
                raise ValueError(
                    f"A process of Bytewax died {failed} times without learning anything: see "
                    f"{here / 'log.txt'}. Nothing is lost."
                )
            self.progress.note("a process died: all processes restart from the last save")
            time.sleep(PAUSE)


def _outcome(here: Path) -> Outcome:
    """Return the results in the ledger of a run."""
    ledger = KeyStore(here / LEDGER, read_only=True)
    names = ("counts", "clock", "shared", "source_accuracy")
    counts, clock, shared, accuracy = (ledger.about(name) or b"" for name in names)
    return Outcome(
        stored_states(ledger), Counts.loads(counts), ledger.positions(),
        json.loads(clock), persist.loads(shared), SourceAccuracy.loads(accuracy),
    )  # fmt: skip


def processes_of(on: str) -> int:
    """Return the number of processes in a text such as ``bytewax:2``."""
    text = on.partition(":")[2] or "1"
    if not text.isdecimal() or not 1 <= int(text) <= MAX_PROCESSES:
        raise ValueError(f"Invalid --on {on!r}: expected 1 to {MAX_PROCESSES} processes, e.g. "
                         "bytewax:2.")  # fmt: skip
    return int(text)


def _n_learned(here: Path) -> int:
    """Return how many rows the ledger of a run has counted."""
    with suppress(OSError, ValueError):
        ledger = KeyStore(here / LEDGER, read_only=True)
        content = ledger.about("counts")
        ledger.close()
        return 0 if content is None else Counts.loads(content).learned
    return 0


def _run_processes(here: Path, n: int, inputs: dict[str, Any]) -> bool:
    """Run all processes; return whether every one of them finished.

    The names of inputs may contain passwords: they are passed through a pipe and written nowhere.
    """
    addresses = ";".join(f"127.0.0.1:{port}" for port in _free_ports(n)) if n > 1 else ""
    with open(here / "log.txt", "ab") as log:
        command = [sys.executable, "-m", "driftlearn.ops.keyed.bytewax_run", str(here), addresses]
        processes = [
            subprocess.Popen([*command, str(k)], stdout=log, stderr=log, stdin=subprocess.PIPE)
            for k in range(n)
        ]
        try:
            for process in processes:
                assert process.stdin is not None
                with suppress(OSError):  # a dead process is found by its exit code
                    process.stdin.write(json.dumps(inputs).encode())
                with suppress(OSError):
                    process.stdin.close()
            while True:
                codes = [process.poll() for process in processes]
                if any(codes):  # neither running nor finished
                    return False
                if all(code == 0 for code in codes):
                    return True
                time.sleep(POLL)
        finally:
            for process in processes:
                with suppress(OSError):
                    process.kill()
                process.wait()


def _free_ports(n: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def work(here: Path, addresses: list[str], place: int, inputs: dict[str, Any]) -> None:
    """Run one of the processes."""
    from driftlearn.ops.keyed.bytewax import dataflow

    about = json.loads((here / ABOUT).read_text("utf-8"))
    store = KeyStore(here.parent / STORE, read_only=True)
    models = KeyedModels(store=store)
    clock = Clock.from_state(models.clock.idle, models.clock.by_time, about["clock"])
    reader = Reader(
        inputs["files"], about["settings"], about["kinds"], about["positions"], clock,
        skip=about["skip"], follow=inputs["follow"], batch=inputs["batch"],
    )  # fmt: skip
    flow = dataflow(
        reader, models.learner, store, here, memory=about["memory"], idle=about["settings"]["idle"],
        out=None if about["out"] is None else Path(about["out"]), n_parts=about["processes"],
        number=about["number"],
    )  # fmt: skip
    recovery = needed("bytewax.recovery").RecoveryConfig(here / "recovery")
    needed("bytewax.testing").cluster_main(
        flow, addresses, place, epoch_interval=timedelta(seconds=inputs["seconds"]),
        recovery_config=recovery,
    )  # fmt: skip


def main(arguments: list[str]) -> None:
    """Run one of the processes; write an error that a restart would repeat to a file."""
    here, addresses, place = Path(arguments[0]), arguments[1].split(";"), int(arguments[2])
    _end_with_parent()
    try:
        work(here, [each for each in addresses if each], place, json.load(sys.stdin))
    except BaseException as problem:
        cause: BaseException | None = problem
        while cause is not None and not isinstance(cause, ValueError):
            cause = cause.__cause__ or cause.__context__
        if cause is not None:
            (here / PROBLEM).write_text(str(cause), "utf-8")
        raise


def _end_with_parent() -> None:
    """On Linux, let the system kill this process when its parent ends."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() == 1:  # the parent ended before that
            os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
