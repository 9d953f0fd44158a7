"""Kill ``driftlearn learn --key`` at random moments until it finishes; compare with another run.

Each attempt is a forked child of a process that has imported everything, ended by SIGKILL. The time
to the kill is derived from the duration of the undisturbed run. If an attempt saved no progress,
the limit for later attempts is raised. The runs must agree in the bytes of every state, the shared
models, positions, quarantined rows, expired keys and the file of predictions.

    python tests/ops/keyed/killing.py --kills 200
"""

import argparse
import math
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyStore
from driftlearn.ops.keyed.local_run import LocalRun
from driftlearn.ops.keyed.settings import Request

GROWTH = 1.5  # factor on the time limit after an attempt that saved no progress
KEYS = 60
WAYS = {
    "bayes": {"learner": "naive-bayes"},
    "tree": {"learner": "hoeffding:grace_period=20", "idle": "900"},
    "times": {"learner": "naive-bayes", "idle": "3d", "time": "day"},
    "chunks": {"learner": "awe:n_estimators=3", "chunk": 25},
}


def write_files(folder, n_rows, seed):
    """Write files with words, dates, missing values and malformed rows; some keys disappear."""
    rng = random.Random(seed)
    for k in range(3):
        lines = ["x,size,colour,day,device,label"]
        for i in range(n_rows // 3):
            x, colour = rng.gauss(0, 1), rng.choice(["red", "blue", "green"])
            size = "" if rng.random() < 0.1 else f"{rng.gauss(0, 1):.3f}"
            day = f"2024-0{k + 1}-{1 + i * 27 // (n_rows // 3):02}"
            device = rng.randrange(20 * k, 20 * k + KEYS - 20)
            label = "yes" if (x + (colour == "red") > 0.3) ^ device % 2 else "no"
            if rng.random() < 0.01:
                poison = ("high", device, label), (x, "", label), (x, device, "")
                x, device, label = rng.choice(poison)
            lines.append(f"{x},{size},{colour},{day},{device},{label}")
        Path(folder, f"{k}.csv").write_text("\n".join(lines) + "\n")


def work(state, folder, way, batch, memory):
    given = {"target": "label", "key": "device", **WAYS[way]}
    out = f"{state}.csv"
    request = Request(Path(state), [str(folder)], given, memory=memory, out=out)
    LocalRun(request, batch=batch, save_seconds=0.01, refresh_interval=1_000).run()


def child(*how):
    """Start an attempt in a child process; return its pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work(*how)
        status = 0
    finally:
        os._exit(status)


def content(state):
    """Return all stored data except times of the machine's clock."""
    store = KeyStore(Path(state, STORE), read_only=True)
    tables = ("about", "states", "expired")
    found = {name: store._all(f"SELECT * FROM {name} ORDER BY 1") for name in tables}
    positions = {Path(path).name.replace("reference", "cut"): at
                 for path, at in store.positions().items()}  # fmt: skip
    found |= {"positions": positions, "quarantined": store.quarantined()}
    store.close()
    return found


def done_rows(state):
    if not Path(state, STORE).exists():
        return 0
    try:
        store = KeyStore(Path(state, STORE), read_only=True)
    except (ValueError, OSError):  # killed while the folder was created
        return 0
    n = sum(at.get("rows", 0) for at in store.positions().values())
    store.close()
    return n


def kill_until_done(state, how, rng, longest):
    """Start and kill attempts until one finishes; return the number of kills."""
    kills = 0
    while True:
        before = done_rows(state)
        # slices and memory differ between attempts and must not affect the results
        pid = child(state, *how, rng.choice([50, 300, 2_000]), rng.choice([1, 300_000, 2**30]))
        time.sleep(rng.uniform(0, longest))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, "the run failed"
            return kills
        kills += 1
        if done_rows(state) == before:
            longest *= GROWTH


def main(kills, n_rows, seed, ways):
    rng = random.Random(seed)
    total = runs = 0
    with tempfile.TemporaryDirectory() as place:
        while total < kills:
            way = ways[runs % len(ways)]
            data, reference, cut = (
                Path(place, f"{name}{runs}") for name in ("data", "reference", "cut")
            )
            data.mkdir()
            write_files(data, n_rows, runs)
            begin = time.monotonic()
            pid = child(reference, data, way, 1_000, 2**30)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
            each = max(1, min(kills - total, math.ceil(kills / len(ways))))
            longest = 2 * (time.monotonic() - begin) / (each + 1)
            total += kill_until_done(cut, (data, way), rng, longest)
            one, other = content(reference), content(cut)
            for name in one:
                assert one[name] == other[name], f"{way}: {name} differ"
            assert one["quarantined"] and (one["expired"] or way not in ("tree", "times")), way
            predicted = [Path(f"{state}.csv").read_bytes() for state in (reference, cut)]
            assert predicted[0] == predicted[1], f"{way}: the predictions differ"
            assert done_rows(cut) == 3 * (n_rows // 3), f"{way}: rows were lost or learned twice"
            runs += 1
    print(f"{total} kills over {runs} runs: no row lost, none twice, the same bytes")
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--rows", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=[*WAYS])
    given = parser.parse_args()
    sys.exit(main(given.kills, given.rows, given.seed, given.ways) < given.kills)
