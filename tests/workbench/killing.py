"""Kill a grid at random moments until it is done, and compare it with one left in peace.

The grid runs in children of a process that has everything imported, so that a life is short and
a hundred of them take seconds; each is ended by a real SIGKILL, in the middle of whatever it does.

    python tests/workbench/killing.py --kills 100 --on serial
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from driftlearn import (
    ADWINBaggingClassifier,
    DTELClassifier,
    IBoostClassifier,
    LearnPPMTClassifier,
    LearnPPNSEClassifier,
)
from driftlearn.streams import LED, SEA
from driftlearn.workbench.cell import cells_of
from driftlearn.workbench.grid import Grid
from driftlearn.workbench.store import Store

LEARNERS = {
    "dtel": DTELClassifier(),
    "nse": LearnPPNSEClassifier(),
    "mt": LearnPPMTClassifier(),
    "iboost": IBoostClassifier(n_estimators=30, window_size=100),
    "bagging": ADWINBaggingClassifier(n_estimators=5),
}


def sea(seed):
    return SEA(n_rows=3_000, noise=0.1, chunk_size=100, random_state=seed)


def led(seed):
    return LED(3_000, (1_500,), chunk_size=50, random_state=seed)


def cells(seeds):
    return cells_of({"sea": sea, "led": led}, LEARNERS, seeds)


def work(path, seeds, on):
    with Store(path) as store:
        Grid(store, on, checkpoint_seconds=0.01).run(cells(seeds))


def child(path, seeds, on):
    """Start the grid in a process of its own; return its number."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work(path, seeds, on)
        status = 0
    finally:
        os._exit(status)


def kill_until_done(path, seeds, on, rng, longest):
    """Start and kill until a life reaches the end; return how many did not.

    Lives grow slowly longer, so that on a busy machine, too, some get anywhere.
    """
    kills = 0
    while True:
        pid = child(path, seeds, on)
        time.sleep(rng.uniform(0, longest * 1.02**kills))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, "the grid failed"
            return kills
        kills += 1


def content(path, seeds):
    """Return all that is stored of the cells but times and sizes in memory."""
    with Store(path) as store:
        found = {}
        for cell in cells(seeds):
            assert store.is_done(cell.key), cell
            rows = store.query(
                "SELECT chunk, start, stop, learnt, accuracy, log_loss, members, classes, confusion"
                " FROM chunks WHERE cell = ? ORDER BY chunk", (cell.key,),
            )  # fmt: skip
            query = "SELECT summary, histories FROM cells WHERE key = ?"
            ((summary, histories),) = store.query(query, (cell.key,))
            summary = {k: v for k, v in json.loads(summary).items() if k != "memory"}
            found[str(cell)] = rows, summary, histories
        assert store.query("PRAGMA integrity_check") == [("ok",)]
    return found


def main(kills, on, seed, longest):
    rng = random.Random(seed)
    total = grids = 0
    with tempfile.TemporaryDirectory() as folder:
        while total < kills:
            seeds = (grids,)
            disturbed, peaceful = Path(folder, f"d{grids}.sqlite"), Path(folder, f"p{grids}.sqlite")
            total += kill_until_done(disturbed, seeds, on, rng, longest)
            work(peaceful, seeds, "serial")
            assert content(disturbed, seeds) == content(peaceful, seeds), "the results differ"
            work(disturbed, seeds, "serial")  # has nothing to do but to tidy up
            left = [p.name for p in Path(folder).glob("d*.work/*")]
            assert not left, f"left behind: {left}"
            grids += 1
    print(f"{total} kills over {grids} grids of {len(cells((0,)))} cells: all equal, bit for bit")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--on", default="serial")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=0.15, help="seconds of a life")
    given = parser.parse_args()
    sys.exit(main(given.kills, given.on, given.seed, given.longest))
