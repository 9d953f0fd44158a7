"""A disk that fails, is full or read-only, or loses what was not synced, at any operation."""

import json
import os
import shutil
import signal
import time
import traceback
from pathlib import Path

from tests.ops.checkpoint import killing as single
from tests.ops.keyed import killing as keyed
from tests.ops.serving import killing as serving
from tests.services import answers, free_port, make_keyed_state, make_state, until
from tests.siege import faults

ROWS, CLIENTS, REQUESTS = 900, 4, 12
FAILED = 10  # exit code of an attempt that raised OSError
WAYS = {
    "learn": (single, ("chunks",)),
    "learn by rows": (single, ("rows",)),
    "learn --key": (keyed, ("bayes", 50, 2**30)),
}
LOST = -signal.SIGKILL


def attempt(state, work, fault=(), count=None):
    """Run a function in a child process with a fault of its disk; return the exit code."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 1
    try:
        faults.arm(state, *fault)
        work()
        status = 0
    except OSError:
        status = FAILED
    except BaseException:
        traceback.print_exc()
    finally:
        n = faults.n_operations()
        faults.arm("/none")
        if count is not None:
            count.write_text(str(n))
        os._exit(status)


def failing(siege):
    """Fail `learn` at a random operation, then run it again; compare with an undisturbed run."""
    made = {name: _undisturbed(siege.folder / f"{k}", *WAYS[name]) for k, name in enumerate(WAYS)}
    while not siege.is_over:
        name = [*WAYS][siege.tried % len(WAYS)]
        module, how = WAYS[name]
        data, expected, n = made[name]
        mode = (faults.POWER, faults.FAIL, faults.TORN)[siege.tried // len(WAYS) % 3]
        error, after = siege.rng.choice(faults.ERRORS), siege.rng.randrange(n)
        many = siege.rng.choice([1, 3, 10**9])
        what = f"{name}: {_named(mode, error)} at operation {after} of {n}, {many} times"
        with siege.attempt(what):
            # The same path as before: it is a part of what is stored.
            state = data.with_name("cut")
            shutil.rmtree(state, ignore_errors=True)
            Path(f"{state}.csv").unlink(missing_ok=True)
            fault = mode, error, after, many
            code = attempt(state, lambda: module.work(state, data, *how), fault)  # noqa: B023
            assert code in (0, LOST if mode == faults.POWER else FAILED), f"exit code {code}"
            code = attempt(state, lambda: module.work(state, data, *how))  # noqa: B023
            assert code == 0, f"exit code {code} of the next run"
            assert _content(module, state) == expected, "the saved models differ"


def _undisturbed(folder, module, how):
    """Return data, what a run on it stores, and the number of its operations."""
    data, state, count = folder / "data", folder / "cut", folder / "count"
    data.mkdir(parents=True)
    module.write_files(data, ROWS, 1)
    assert not attempt(state, lambda: module.work(state, data, *how), count=count)
    return data, _content(module, state), int(count.read_text())


def _content(module, state):
    if module is keyed:
        return module.content(state), Path(f"{state}.csv").read_bytes()
    return (state / "model.npz").read_bytes()


def _named(mode, error):
    if mode == faults.POWER:
        return "power failure"
    return f"{os.strerror(error)}{' after half of a write' if mode == faults.TORN else ''}"


def failing_service(siege):
    """Fail the disk of a service while clients learn; compare with an undisturbed service."""
    runs = 0
    while not siege.is_over:
        way = ("rows", "keys")[runs % 2]
        places = [siege.fresh(name) for name in ("begun", "reference", "cut")]
        begun, reference, cut = places
        if way in serving.WAYS:
            make_state(begun, **serving.WAYS[way])
        else:
            make_keyed_state(begun, n_keys=serving.KEYS, **serving.KEYED_WAYS[way])
        for each in (reference, cut):
            shutil.copytree(begun, each)
        with siege.attempt(f"{way}, seed {siege.seed + runs}", n=0):
            requests = _disturbed(siege, cut, way, siege.seed + runs)
            numbers = [sequence for sequence, _, _ in requests]
            expected = [*range(1, CLIENTS * REQUESTS + 1)]
            assert numbers == expected, "requests were lost or learned twice"
            serving.undisturbed(reference, free_port(), requests)
            assert serving.saved(cut, way) == serving.saved(reference, way), "the models differ"
        runs += 1


def _disturbed(siege, state, way, seed):
    """Return the acknowledged requests of clients of a service whose disk fails repeatedly."""
    port = free_port()
    files = [state.with_name(f"{state.name}-{k}.jsonl") for k in range(CLIENTS)]
    clients = [serving.forked(serving.client, k, port, REQUESTS, seed, way, files[k])
               for k in range(CLIENTS)]  # fmt: skip
    pid = lives = 0
    try:
        while clients:
            # Few operations after the start, since a service without faults would end the run.
            mode = siege.rng.choice([faults.POWER, faults.FAIL, faults.TORN])
            mode = mode if lives else faults.POWER
            error, many = siege.rng.choice(faults.ERRORS), siege.rng.choice([1, 5, 20])
            fault = mode, error, siege.rng.randrange(2, 40), many
            pid = serving.forked(_life, state, port, fault)
            lives += 1
            while clients and not _is_ended(pid, mode):
                serving.reap(clients)
                time.sleep(0.01)
        serving.kill(pid)
        pid = serving.forked(serving.life, state, port, 2**30)
        until(lambda: answers(port))
        serving.ended(pid, port)
    finally:
        siege.tried += lives
        for each in (*clients, pid):
            serving.kill(each)
    lines = [json.loads(line) for file in files for line in file.open()]
    return sorted(lines)


def _life(state, port, fault):
    faults.arm(state, *fault)
    try:
        serving.life(state, port, 2**30)
    except OSError:
        os._exit(FAILED)


def _is_ended(pid, mode):
    """Return whether a service has ended because of its disk."""
    found, status = os.waitpid(pid, os.WNOHANG)
    code = os.waitstatus_to_exitcode(status) if found else 0
    expected = (0, LOST) if mode == faults.POWER else (0, FAILED)
    assert code in expected, f"the service ended with {code}"
    return bool(found)


def do_not_sync():
    """Plant a defect: files are not synced."""
    os.fsync = lambda file: None
