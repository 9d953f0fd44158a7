"""Kill ``driftlearn learn`` at random moments until it finishes; compare with an undisturbed run.

Each attempt is a forked child of a process that has imported everything, ended by SIGKILL. The time
to the kill is derived from the duration of the undisturbed run. If an attempt saved no progress,
the limit for later attempts is raised.

    python tests/ops/checkpoint/killing.py --kills 50
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

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun

FILES = 9
GROWTH = 1.5  # factor on the time limit after an attempt that saved no progress
WAYS = {
    "rows": {"learner": "hoeffding:grace_period=50", "chunk": 1},
    "files": {"learner": "hoeffding:grace_period=50"},
    "late files": {"learner": "naive-bayes", "delay": 2},
    "chunks": {"learner": "awe", "chunk": 250},
    "days": {"learner": "naive-bayes", "every": "1d", "time": "day"},
    "label times": {"learner": "naive-bayes", "time": "day", "label_time": "known"},
    "delayed": {"learner": "naive-bayes", "delay": 300, "chunk": 100},
    "bagging": {"learner": "adwin-bagging:n_estimators=3", "chunk": 1},
}


def write_files(folder, n_rows, seed):
    """Write files with words, dates and missing values."""
    rng = random.Random(seed)
    for k in range(FILES):
        lines = ["x,size,colour,day,known,label"]
        for i in range(n_rows // FILES):
            x, colour = rng.gauss(0, 1), rng.choice(["red", "blue", "green"])
            size = "" if rng.random() < 0.1 else f"{rng.gauss(0, 1):.3f}"
            day = f"2024-0{k + 1}-{1 + i * 27 // (n_rows // FILES):02}"
            known = f"2024-0{min(k + 1 + i % 4, FILES)}-28"
            label = "yes" if x + (colour == "red") > 0.3 else "no"
            lines.append(f"{x:.4f},{size},{colour},{day},{known},{label}")
        Path(folder, f"{k}.csv").write_text("\n".join(lines) + "\n")


def work(state, folder, way):
    given = {"target": "label", "kinds": {"known": "drop"}, **WAYS[way]}
    LearnRun(state, [str(folder)], given, save_seconds=0.01).run()


def child(state, folder, way):
    """Start an attempt in a child process; return its pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work(state, folder, way)
        status = 0
    finally:
        os._exit(status)


def done_rows(state):
    try:
        return SavedModel.open(state).counts["read"]
    except FileNotFoundError:
        return 0


def kill_until_done(state, folder, way, rng, longest):
    """Start and kill attempts until one finishes; return the number of kills."""
    kills = 0
    while True:
        before = done_rows(state)
        pid = child(state, folder, way)
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
            assert os.waitstatus_to_exitcode(os.waitpid(child(reference, data, way), 0)[1]) == 0
            each = max(1, min(kills - total, math.ceil(kills / len(ways))))
            longest = 2 * (time.monotonic() - begin) / (each + 1)
            total += kill_until_done(cut, data, way, rng, longest)
            same = (cut / "model.npz").read_bytes() == (reference / "model.npz").read_bytes()
            assert same, f"{way}: the saved models differ"
            n_done = FILES * (n_rows // FILES)
            assert done_rows(cut) == n_done, f"{way}: rows were lost or learned twice"
            left = [each.name for each in cut.glob(".*.part")]
            assert len(left) < 2, f"left behind: {left}"
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
