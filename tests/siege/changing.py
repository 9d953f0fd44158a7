"""Files that grow, shrink and are replaced while `learn` reads them."""

import os
import random
import threading
import time

from driftlearn.io import dumps
from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.sources.files import FileSource

GIVEN = {"target": "label", "learner": "hoeffding:grace_period=20", "chunk": 1,
         "kinds": {"x": "number", "y": "number"}}  # fmt: skip
SECONDS = 0.6  # for which a file changes


def lines_of(n, seed):
    rng = random.Random(seed)
    rows = [(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(n)]
    return [f"{x:.4f},{y:.4f},{'yes' if x > y else 'no'}\n" for x, y in rows]


def files(siege):
    """Learn a file that changes until it is quiet: all its rows once, or an error with its name."""
    while not siege.is_over:
        how = ("grows", "shrinks", "is replaced")[siege.tried % 3]
        folder = siege.fresh("files")
        folder.mkdir()
        path, state = folder / "a.csv", folder / "state"
        path.write_text("x,y,label\n" + "".join(lines_of(400, 0)))
        seed = siege.rng.getrandbits(32)
        with siege.attempt(f"a file that {how}, seed {seed}"):
            done = threading.Event()
            changer = threading.Thread(target=_change, args=(path, how, seed, done))
            changer.start()
            error = None
            try:
                while not done.is_set() and error is None:
                    error = _learn(state, path)
            finally:
                changer.join()
            error = error or _learn(state, path)
            if error is not None:
                assert how != "grows" and str(path) in error, error
                continue
            saved = SavedModel.open(state)
            n_rows = path.read_text().count("\n") - 1
            assert saved.record.n_rows == n_rows, f"{saved.record.n_rows} of {n_rows} rows"
            assert _learn(folder / "other", path) is None
            other = SavedModel.open(folder / "other")
            assert dumps(saved.model) == dumps(other.model), "other rows were learned"


def _learn(state, path):
    """Return the message of an error, or None."""
    try:
        LearnRun(state, [str(path)], GIVEN, save_seconds=0.0).run()
    except (ValueError, OSError) as problem:
        return str(problem)
    return None


def _change(path, how, seed, done):
    """Change a file at random moments for some time."""
    rng = random.Random(seed)
    try:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            time.sleep(rng.uniform(0, 0.05))
            if how == "grows":
                with open(path, "a") as file:
                    for line in lines_of(rng.randrange(1, 40), rng.random()):
                        file.write(line)
                        file.flush()  # whole lines
            elif rng.random() < 0.3:
                lines = path.read_text().splitlines(keepends=True)
                if how == "shrinks":
                    size = sum(map(len, lines[: rng.randrange(1, len(lines) + 1)]))
                    os.truncate(path, size)
                else:
                    part = path.with_suffix(".new")
                    part.write_text(lines[0] + "".join(lines_of(300, rng.random())))
                    os.replace(part, path)
    finally:
        done.set()


def look_late():
    """Plant a defect: a file that was read once counts as known."""
    FileSource._is_known = lambda self, path, at: path in self.verified
