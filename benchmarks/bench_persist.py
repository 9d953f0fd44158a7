"""Cost of checkpoints, compared with pickle, and of a database commit per chunk.

Run it from the top of the repository: ``python benchmarks/bench_persist.py``. Times are the fastest
of several runs, taken in turn; load on the machine changes times more than ratios.
"""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path
from time import perf_counter

from _timing import best_in_turn

from driftlearn import DTELClassifier, IBoostClassifier, LearnPPNSEClassifier
from driftlearn import io as persist
from driftlearn.bench.workbench.cell import Cell, Order, work
from driftlearn.bench.workbench.store import Store
from driftlearn.streams import SEA

LEARNERS = {
    "DTEL, 26 trees": (DTELClassifier(random_state=0), 6_500, 250),
    "Learn++.NSE, 200 trees": (LearnPPNSEClassifier(random_state=0), 50_000, 250),
    "IBoost, 200 stumps": (IBoostClassifier(random_state=0), 5_000, 1_000),
}


def trained(learner, n_rows, chunk_size):
    for batch in SEA(n_rows=n_rows, noise=0.1, random_state=0).chunks(chunk_size):
        learner.partial_fit(batch.X, batch.y)
    return learner


def show_files(folder):
    titles = ("kB", "save ms", "load ms", "pickle kB", "save ms", "load ms")
    print(f"{'':<24}" + "".join(f"{title:>10}" for title in titles))
    path = folder / "model.npz"
    for name, settings in LEARNERS.items():
        model = trained(*settings)
        times = best_in_turn(
            {
                "save": lambda: persist.save(model, path),  # noqa: B023
                "load": lambda: persist.load(path),
                "dump": lambda: (folder / "model.pkl").write_bytes(pickle.dumps(model)),  # noqa: B023
                "undump": lambda: pickle.loads((folder / "model.pkl").read_bytes()),
            },
            rounds=15,
        )
        sizes = [(folder / f"model.{ending}").stat().st_size / 1e3 for ending in ("npz", "pkl")]
        save, load, dump, undump = (1e3 * times[key] for key in times)
        row = (sizes[0], save, load, sizes[1], dump, undump)
        print(f"{name:<24}" + "".join(f"{value:10.1f}" for value in row))
    print("a save of ours reaches the disk (fsync) before it returns; that of pickle does not")


def show_commits(folder):
    cell = Cell.of("sea", SEA(n_rows=100_000, random_state=0), "dtel", DTELClassifier(), 0,
                   options={"chunk_size": 100})  # fmt: skip
    steps = []
    begun = perf_counter()
    work(Order(cell), steps.append)
    alone = perf_counter() - begun
    with Store(folder / "runs.sqlite") as store:
        begun = perf_counter()
        for step in steps[1:]:
            store.add_steps(cell.key, [step])
        seconds = perf_counter() - begun
    n = len(steps) - 1
    each = f"{1e3 * seconds / n:.3f} ms a chunk, {seconds / alone:.1%}"
    print(f"{n} chunks, a commit each: {each} of what DTEL takes for chunks of 100 rows")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        show_files(Path(place))
        show_commits(Path(place))
