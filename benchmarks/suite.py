"""Benchmark suite: every learner, baselines and learners of other libraries on every stream.

    python benchmarks/suite.py                            the tuning part, both protocols
    python benchmarks/suite.py --protocol rows --stream electricity --seeds 1
    python benchmarks/suite.py --part final               once per release
    python benchmarks/suite.py --page docs/suite.rst      write the page and its figures

`suite.toml` defines what is run. Results are stored cell by cell (--store): repeating the command
continues an interrupted run. Learners of river and MOA are included if they are installed.
"""

import argparse
import importlib.util
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from suite_page import METRICS, sorted_by, write_page

from driftlearn.bench.workbench.cell import cells_of
from driftlearn.bench.workbench.grid import Grid
from driftlearn.bench.workbench.plan import plan_of
from driftlearn.bench.workbench.progress import make_display
from driftlearn.bench.workbench.store import Store
from driftlearn.specs.toml import read_toml

HERE = Path(__file__).parent
PARTS, PROTOCOLS = ("tuning", "final"), ("chunks", "rows")
PACKAGES = {"river": "river", "moa": "capymoa"}


def plan(part, protocol, args):
    """Return the plan of a part with a protocol, restricted to the selection."""
    suite, _ = read_toml(HERE / "suite.toml")
    streams = {**suite[part]["streams"], **suite["generated"]}
    learners = {**suite["baselines"], **suite["learners"], **installed(suite["others"])}
    options = {"chunk_size": suite["chunk_size"]}
    if protocol == "chunks":
        learners |= suite["chunk_learners"]
    else:
        options = {"chunk_size": 1, "every": suite["every"]}
    seeds = suite[part]["seeds"][: args.seeds]
    return plan_of(
        some(streams, args.stream), some(learners, args.learner), seeds, "prequential", options,
        f"suite, {part}, {protocol}",
    )  # fmt: skip


def installed(others):
    """Return the learners of the installed other libraries."""
    found = {}
    for name, text in others.items():
        if importlib.util.find_spec(PACKAGES[name.partition(":")[0]]):
            found[name] = text
    return found


def some(named, wanted):
    for name in wanted or ():
        if name not in named:
            raise SystemExit(
                f"{name!r} is not in the benchmark suite. Expected one of {', '.join(named)}"
            )
    return {name: named[name] for name in wanted or named}


def cells(part, protocol, args):
    """Return the cells of a part with a protocol; other libraries have one seed."""
    wanted = plan(part, protocol, args)
    streams = {name: spec.make for name, spec in wanted.streams.items()}
    learners = {name: spec.make() for name, spec in wanted.learners.items()}
    found = cells_of(streams, learners, wanted.seeds, wanted.protocol, wanted.options)
    return [cell for cell in found if not is_other(cell.learner) or cell.seed == wanted.seeds[0]]


def is_other(learner):
    return learner.partition(":")[0] in PACKAGES


def run(part, protocol, args, store):
    grid = Grid(store, args.on, make_display(quiet=False, verbose=False))
    outcome = grid.run(cells(part, protocol, args), f"suite, {part}, {protocol}")
    for text in outcome.failed():
        print(text, file=sys.stderr)


def figures(part, protocol, args, store):
    """Return the mean of every metric over the finished seeds, by stream and learner."""
    found = defaultdict(lambda: defaultdict(list))
    for cell in cells(part, protocol, args):
        if store.is_done(cell.key):
            summary = store.result(cell.key).summary("learner")
            found[cell.stream][cell.learner].append([summary.get(m, np.nan) for m in METRICS])
    return {stream: {name: dict(zip(METRICS, np.mean(rows, axis=0))) for name, rows in each.items()}
            for stream, each in found.items()}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=PARTS, default="tuning")
    parser.add_argument("--protocol", choices=PROTOCOLS, action="append")
    parser.add_argument("--stream", action="append")
    parser.add_argument("--learner", action="append")
    parser.add_argument("--seeds", type=int, help="only the first seeds")
    parser.add_argument("--on", default="auto", help="executor, as for driftlearn run")
    parser.add_argument("--store", type=Path, default=Path("panel.sqlite"))
    parser.add_argument("--page", type=Path, help="write the page without running anything")
    args = parser.parse_args()
    with Store(args.store) as store:
        if args.page is not None:
            suite, _ = read_toml(HERE / "suite.toml")
            suite["learners"] |= suite["chunk_learners"]
            found = {each: figures(args.part, each, args, store) for each in PROTOCOLS}
            write_page(args.page, args.part, suite, found, args.seeds)
            return
        for protocol in args.protocol or PROTOCOLS:
            run(args.part, protocol, args, store)
            for stream, learners in figures(args.part, protocol, args, store).items():
                print(f"\n{stream}, {protocol}")
                print(sorted_by("accuracy", learners))


if __name__ == "__main__":
    main()
