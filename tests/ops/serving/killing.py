"""Kill ``driftlearn serve`` at random moments during training; compare with an undisturbed run.

Each attempt is a forked child of a process that has imported everything, ended by SIGKILL. Clients
resend each request, with its idempotency key, until it is acknowledged. At the end every request
must have been learned exactly once: the sequence numbers of the acknowledged requests are 1, 2, 3
and so on, and a service that receives the same requests in that order ends with the same bytes.
With a model for each key, the attempts differ in their memory limits.

    python tests/ops/serving/killing.py --kills 50
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from driftlearn.ops.serving.limits import Limits
from driftlearn.ops.serving.server import serve
from tests.services import (
    answers,
    free_port,
    keyed_rows,
    make_keyed_state,
    make_state,
    post,
    some_rows,
    stored,
    until,
)

GROWTH = 1.5  # factor on the time limit after an attempt without acknowledgments
SAVE = 0.05  # seconds, so that saving is disturbed, too
WAYS = {
    "rows": {"learner": "hoeffding:grace_period=50"},
    "chunks": {"learner": "awe", "chunk": 40},
    "bagging": {"learner": "adwin-bagging:n_estimators=3"},
    "request": {"learner": "learn++.nse", "chunk": "file"},
    "challenger": {"learner": "awe", "chunk": "file", "challenger": "naive-bayes"},
}
KEYED_WAYS = {
    "keys": {"learner": "hoeffding:grace_period=20"},
    "idle": {"learner": "naive-bayes", "idle": "60"},
    "times": {"learner": "naive-bayes", "idle": "2d", "time": "day"},
}
KEYS = 25
MEMORY = (1, 300_000, 2**30)  # bytes; must not affect the results


def forked(work, *arguments):
    """Run a function in a child process; return its pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work(*arguments)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def life(state, port, memory):
    serve(state, "127.0.0.1", port, Limits(rate=0), lambda text: None, SAVE, memory)


def requests_of(client, n, seed, way):
    """Yield the requests of a client: keys and 1 to 20 rows, some as columns."""
    rng = random.Random(1_000 * seed + client)
    for i in range(n):
        size, begin = rng.choice([1, 1, 3, 20]), rng.random()
        rows = some_rows(size, begin) if way in WAYS else keyed_rows(size, begin, n_keys=KEYS)
        if rng.random() < 0.3:
            rows = {name: [row[name] for row in rows] for name in rows[0]}
        yield f"{client}-{i}", rows


def client(number, port, n, seed, way, out):
    """Send every request until it is acknowledged; write the responses to a file."""
    with open(out, "w") as file:
        for key, rows in requests_of(number, n, seed, way):
            while True:
                try:
                    status, found = post(port, "/learn", rows, Idempotency_Key=key)
                    if status == 200:
                        break
                    assert status in (503, 507), found
                except OSError:
                    pass
                except Exception as problem:  # an incomplete response
                    assert "http.client" in type(problem).__module__, problem
                time.sleep(0.01)
            file.write(json.dumps([found["sequence"], key, rows]) + "\n")
            file.flush()


def acknowledged(files):
    return [json.loads(line) for file in files if file.exists() for line in file.open()]


def killed(state, port, clients, files, rng, longest):
    """Start and kill services until all clients are done; return the number of kills."""
    kills = 0
    while clients:
        before = len(acknowledged(files))
        pid = forked(life, state, port, rng.choice(MEMORY))
        end = time.monotonic() + rng.uniform(0, longest)
        try:
            while time.monotonic() < end and clients:
                time.sleep(0.01)
                reap(clients)
            found, status = os.waitpid(pid, os.WNOHANG)
            assert not found, f"the service ended by itself: {status}"
            if not clients:
                ended(pid, port)
                break
        finally:
            kill(pid)
        kills += 1
        if len(acknowledged(files)) == before:
            longest *= GROWTH
    return kills


def reap(clients):
    """Remove the clients that have finished from a list."""
    for each in [*clients]:
        found, status = os.waitpid(each, os.WNOHANG)
        if found:
            clients.remove(each)
            assert status == 0, "a client failed"


def kill(pid):
    """End a child process, unless it has ended."""
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def ended(pid, port):
    until(lambda: answers(port))
    os.kill(pid, signal.SIGTERM)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, "the service did not stop cleanly"


def undisturbed(state, port, requests):
    pid = forked(life, state, port, MEMORY[-1])
    until(lambda: answers(port))
    for sequence, key, rows in requests:
        status, found = post(port, "/learn", rows, Idempotency_Key=key)
        assert status == 200 and found["sequence"] == sequence and not found["repeated"], found
    ended(pid, port)


def saved(state, way):
    """Return all saved data, including the position of the service."""
    if way in WAYS:
        return [path.read_bytes() for path in sorted(state.rglob("*.npz"))]
    return stored(state, but=())


def main(kills, n_requests, n_clients, seed, ways):
    rng = random.Random(seed)
    total = runs = n_rows = 0
    longest = 0.5
    with tempfile.TemporaryDirectory() as place:
        while total < kills:
            way = ways[runs % len(ways)]
            begun, reference, cut = (
                Path(place, f"{name}{runs}") for name in ("begun", "reference", "cut")
            )
            if way in WAYS:
                make_state(begun, **WAYS[way])
            else:
                make_keyed_state(begun, n_keys=KEYS, **KEYED_WAYS[way])
            shutil.copytree(begun, reference)
            shutil.copytree(begun, cut)
            port = free_port()
            files = [Path(place, f"{runs}-{k}.jsonl") for k in range(n_clients)]
            clients = [
                forked(client, k, port, n_requests, seed + runs, way, files[k])
                for k in range(n_clients)
            ]
            try:
                total += killed(cut, port, clients, files, rng, longest)
            finally:
                for each in clients:
                    kill(each)
            requests = sorted(acknowledged(files))
            numbers = [sequence for sequence, _, _ in requests]
            expected = [*range(1, n_requests * n_clients + 1)]
            assert numbers == expected, f"{way}: requests were lost or learned twice"
            undisturbed(reference, free_port(), requests)
            assert saved(cut, way) == saved(reference, way), f"{way}: the saved models differ"
            assert not (cut / "write-ahead.log").stat().st_size, f"{way}: the log was not truncated"
            n_rows += sum(len(rows) if isinstance(rows, list) else len(rows["x"])
                          for _, _, rows in requests)  # fmt: skip
            runs += 1
    print(f"{total} kills over {runs} runs, {n_rows:,} rows: none lost, none twice, the same bytes")
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--requests", type=int, default=150, help="of each client and run")
    parser.add_argument("--clients", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ways", nargs="+", choices=[*WAYS, *KEYED_WAYS],
                        default=[*WAYS, *KEYED_WAYS])  # fmt: skip
    given = parser.parse_args()
    done = main(given.kills, given.requests, given.clients, given.seed, given.ways)
    sys.exit(done < given.kills)
