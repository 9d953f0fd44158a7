"""Kill a grid at random moments until it finishes; compare with an undisturbed grid.

Each attempt is a forked child of a process that has imported everything, so that attempts are short
and a hundred of them take seconds; each is ended by SIGKILL. The time to the kill is derived from
the undisturbed grid: its duration, and the time to its first stored result. Two successive attempts
that store nothing new raise the limit for later attempts.

    python tests/bench/workbench/killing.py --kills 100 --on serial
"""

import argparse
import json
import math
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
from driftlearn.bench.workbench.cell import cells_of
from driftlearn.bench.workbench.grid import Grid
from driftlearn.bench.workbench.progress import Display
from driftlearn.bench.workbench.store import Store
from driftlearn.streams import LED, SEA

KILLS_PER_GRID = 50  # kills that one grid should survive, if this number is requested
GROWTH = 1.5  # factor on the time limit after two attempts that stored nothing

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


def work(path, seeds, on, display=None):
    with Store(path) as store:
        Grid(store, on, display, checkpoint_seconds=0.01).run(cells(seeds))


class First(Display):
    """Store that closes a pipe when something has been stored."""

    def __init__(self, pipe):
        super().__init__()
        self.pipe = pipe

    def cell_at(self, key, row):
        if self.pipe is not None:
            os.close(self.pipe)
            self.pipe = None


def child(path, seeds, on, display=None):
    """Start the grid in a separate process; return its id."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work(path, seeds, on, display)
        status = 0
    finally:
        os._exit(status)


def undisturbed(path, seeds, on):
    """Run the grid to the end; return the seconds before and after the first stored result."""
    reader, writer = os.pipe()
    begin = time.monotonic()
    pid = child(path, seeds, on, First(writer))
    os.close(writer)
    os.read(reader, 1)
    first = time.monotonic() - begin
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    assert status == 0, "the grid failed"
    return first, time.monotonic() - begin - first


def n_chunks(path):
    with Store(path) as store:
        return store.query("SELECT count(*) FROM chunks")[0][0]


def kill_until_done(path, seeds, on, rng, longest):
    """Start and kill the grid until it is done; return the number of kills."""
    kills = stored = idle = 0
    while True:
        pid = child(path, seeds, on)
        time.sleep(rng.uniform(0, longest))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, "the grid failed"
            return kills
        kills += 1
        before, stored = stored, n_chunks(path)
        idle = idle + 1 if stored == before else 0
        if idle == 2:
            longest, idle = longest * GROWTH, 0


def content(path, seeds):
    """Return everything stored about the cells except times and memory sizes."""
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


def main(kills, on, seed):
    rng = random.Random(seed)
    total = grids = 0
    with tempfile.TemporaryDirectory() as folder:
        while total < kills:
            seeds = (grids,)
            disturbed, peaceful = Path(folder, f"d{grids}.sqlite"), Path(folder, f"p{grids}.sqlite")
            first, rest = undisturbed(peaceful, seeds, on)
            # An attempt of up to first + x seconds works for x² / 2 (first + x) of them on average:
            # with this x, this number of attempts does the whole work.
            lives = min(kills, KILLS_PER_GRID)
            longest = first + (rest + math.sqrt(rest**2 + 2 * lives * rest * first)) / lives
            total += kill_until_done(disturbed, seeds, on, rng, longest)
            assert content(disturbed, seeds) == content(peaceful, seeds), "the results differ"
            work(disturbed, seeds, "serial")  # only cleanup is left
            left = [p.name for p in Path(folder).glob("d*.work/*")]
            assert not left, f"left behind: {left}"
            grids += 1
    print(f"{total} kills over {grids} grids of {len(cells((0,)))} cells: all equal, bit for bit")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--on", default="serial")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.exit(main(given.kills, given.on, given.seed))
